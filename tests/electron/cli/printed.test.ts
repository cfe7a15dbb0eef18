/** What is printed for people: one line for one thing, whatever texts of others it has, and no license key. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeLeaseRequest } from '../../../electron/cli/command-files.ts';
import { formatFailure, formatResult } from '../../../electron/cli/result-text.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const forged = 'Bench\n01890000  Trusted\u2028\u001b[1A\u009b2K\u202e';
const escaped = 'Bench\\u000a01890000  Trusted\\u2028\\u001b[1A\\u009b2K\\u202e';
const device = { activation_id: '1', device_name: forged, activity: 'active', last_seen_at: null, this_device: false };

describe('a text of others', () => {
  it('stays in its line: the name of a device', () => {
    expect(formatResult('devices', [device])).toBe(`1  ${escaped} (active), last seen null`);
  });

  it('stays in its line: a message of a server, and the devices at the limit', () => {
    expect(formatFailure({ error: forged, code: 'X' })).toBe(escaped);
    expect(formatFailure({ error: 'No.', code: 'X', devices: [device] }).split('\n')).toHaveLength(2);
  });

  it('stays in its line: the name of a field', () => {
    expect(formatResult('lease show', { [forged]: 'a\nb' })).toBe(`${escaped}  a\\u000ab`);
  });
});

describe('a request for a lease', () => {
  it.each([
    ['SVC-AB12-CD34-EF56-GH7X', 'SVC-AB12...GH7X'],
    ['ABC123DEF456', '...56'],
  ])('with the key %s shows %s, and has the key in its file only', async (license_key, license) => {
    const file = join(temporaryFolder(), 'request.json');
    const request = { license_key, device_id: 'HW-1', device_name: 'Bench', platform: 'linux x64' };
    const document = await writeLeaseRequest({ folder: '/', out: file, qr: true })({ request, fileName: 'unused' });
    expect(document).toMatchObject({ file, request: { license } });
    expect(JSON.stringify(document)).not.toContain(license_key);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(request);
    expect(formatResult('lease request', document).split('\n').length).toBeGreaterThan(10);
  });
});

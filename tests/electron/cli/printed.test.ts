/** The output for people: one line per item, whatever foreign texts it contains, and no license key. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeLeaseRequest } from '../../../electron/cli/command-files.ts';
import { formatFailure, formatResult } from '../../../electron/cli/result-text.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const forged = 'Bench\n01890000  Trusted\u2028\u001b[1A\u009b2K\u202e';
const escaped = 'Bench\\u000a01890000  Trusted\\u2028\\u001b[1A\\u009b2K\\u202e';
const device = { activation_id: '1', device_name: forged, activity: 'active', last_seen_at: null, this_device: false };

describe('a foreign text', () => {
  it('stays on its line: the name of a device', () => {
    expect(formatResult('devices', [device])).toBe(`1  ${escaped} (active), last seen null`);
  });

  it('stays on its line: a message of a server, and the devices at the limit', () => {
    expect(formatFailure({ error: forged, code: 'X' })).toBe(escaped);
    expect(formatFailure({ error: 'No.', code: 'X', devices: [device] }).split('\n')).toHaveLength(2);
  });

  it('stays on its line: the name of a field', () => {
    expect(formatResult('lease show', { [forged]: 'a\nb' })).toBe(`${escaped}  a\\u000ab`);
  });
});

describe('a lease request', () => {
  const device_id = 'HW-00000000-11111111-22222222-33333333';

  it.each([
    ['SVC-AB12-CD34-EF56-GH7X', 'SVC-AB12...GH7X'],
    ['ABC123DEF456', '...56'],
  ])('with the key %s shows %s, and contains the key only in its file', async (license_key, license) => {
    const file = join(temporaryFolder(), 'request.json');
    const request = { license_key, device_id, device_name: 'Bench', platform: 'linux x64' };
    const document = await writeLeaseRequest({ folder: '/', out: file, qr: true })({ request, fileName: 'unused' });
    expect(document).toMatchObject({ file, request: { license } });
    expect(JSON.stringify(document)).not.toContain(license_key);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(request);
    expect(formatResult('lease request', document).split('\n').length).toBeGreaterThan(10);
  });

  it.each(['../x', '/tmp/elsewhere/x', ''])(
    'is written in the folder, whatever the process that made it says: %j',
    async (elsewhere) => {
      const folder = join(temporaryFolder(), 'called in');
      mkdirSync(folder);
      const request = { license_key: 'ABC123DEF456', device_id, device_name: elsewhere, platform: '' };
      const write = writeLeaseRequest({ folder, out: undefined, qr: false });
      const { file } = (await write({ request, fileName: join('..', elsewhere) })) as { file: string };
      expect(readdirSync(folder)).toEqual([basename(file)]);
      expect(basename(file)).toMatch(/^latchkey-request-.+\.json$/);
    },
  );

  it.each([null, {}, { request: 'x', fileName: 'x' }, { request: { device_id: '../../x' }, fileName: 'x' }])(
    'that is invalid is not written: %j',
    async (value) => {
      const folder = temporaryFolder();
      await expect(writeLeaseRequest({ folder, out: undefined, qr: false })(value)).rejects.toThrow();
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

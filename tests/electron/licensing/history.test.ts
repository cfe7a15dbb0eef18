/** The exported history: RFC 4180, and nothing that a spreadsheet would execute. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHistory, History } from '../../../electron/licensing/history.ts';
import { escapeFormulas } from '../../../shared/formats/csv.ts';
import type { ActivityEntry, Device } from '../../../shared/ipc/app-state.ts';

const at = '2026-03-03T09:00:00.000Z';
const device = (name: string): Device => ({
  activationId: 'a',
  keyPreview: 'SVC-AB12...GH7X',
  deviceId: 'HW-00000000-11111111-22222222-33333333',
  name,
  platform: 'linux x64',
  activatedAt: at,
  lastSeenAt: at,
  activity: 'active',
  isThisDevice: true,
});
const entry = (detail: string | null): ActivityEntry => ({ id: 1, at, kind: 'heartbeat', detail });

/** A strict RFC 4180 parser. */
function readCsv(text: string): string[][] {
  return [...text.matchAll(/((?:(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|(?=\r\n)))+)\r\n/g)].map(([, line]) =>
    [...(line ?? '').matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(?:,|$)/g)]
      .map(([, field]) => (field?.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : (field ?? '')))
      .slice(0, 6),
  );
}

describe('the history as CSV', () => {
  it('has a header, the devices and the activity', () => {
    expect(formatHistory([device('Studio Mac')], [entry(null)])).toBe(
      'record,time,device,platform,event,detail\r\n' +
        `device,${at},Studio Mac,linux x64,active,HW-00000000-11111111-22222222-33333333\r\n` +
        `activity,${at},,,heartbeat,\r\n`,
    );
  });

  it('has only the header before any device or activity is known', () => {
    const deps = {
      features: { check: () => ({ ok: true }) },
      devices: { list: { value: null } },
      activity: { entries: [] },
    };
    expect(new History(deps as unknown as ConstructorParameters<typeof History>[0]).csv()).toEqual({
      ok: true,
      value: 'record,time,device,platform,event,detail\r\n',
    });
  });

  it('quotes values that need quotes', () => {
    expect(formatHistory([device('He said "hi", twice\nover')], [])).toContain('"He said ""hi"", twice\nover"');
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t'=1"],
    ['a;=1', "a;'=1"],
    ['a\n=1', "a\n'=1"],
  ])('keeps %j from being run as a formula', (name, safe) => {
    expect(readCsv(formatHistory([device(name)], []))[1]?.[2]).toBe(safe);
  });

  it('reads back unchanged, except for apostrophes', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        const read = readCsv(formatHistory([device(name)], []))[1]?.[2];
        expect(read).toBe(escapeFormulas(name));
        expect(read).not.toMatch(/^[=+\-@\t\r]/);
      }),
    );
  });
});

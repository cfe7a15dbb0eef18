/** Lists as CSV files: complete, readable according to RFC 4180, and safe in a spreadsheet. */
import { beforeAll, describe, expect, it } from 'vitest';
import { formatHeader, formatRows } from '../../../server/admin-api/csv.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { newStaff, type Staff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { activate, issueLicense, signUp } from '../../harness/users.ts';

describe('a cell', () => {
  const row = (value: unknown) => formatRows([{ value }], ['value']).slice(0, -2);

  it.each([
    ['plain', 'plain'],
    ['a, b', '"a, b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t'=1"],
    ['\r=1', `"'\r'=1"`],
    ['\n=1', `"'\n'=1"`],
    // Where a semicolon or tab separates cells, part of a text can become a separate cell.
    ['a;=1', "a;'=1"],
    ['a; =1', "a; '=1"],
    ['a\t@x', "a\t'@x"],
    ['a\n=1\n-2', `"a\n'=1\n'-2"`],
    ['a;"=1"', `"a;""'=1"""`],
    ['＝1', "'＝1"],
    ['﹦1', "'﹦1"],
    ['\u001f=1', "\u001f'=1"],
    ['\u200b=1', "\u200b'=1"],
    ['1;2, a=b', '"1;2, a=b"'],
    [null, ''],
    [undefined, ''],
    [3, '3'],
    [true, 'true'],
    [{ plan: 'free' }, '"{""plan"":""free""}"'],
  ])('%j is written as %s', (value, written) => {
    expect(row(value)).toBe(written);
  });

  // The search for formulas would not end within the time limit if it were quadratic in one of these.
  it.each([
    ['separators only', '\t'.repeat(1_000_000)],
    ['white space only', ' '.repeat(1_000_000)],
    ['quotes only', "'".repeat(1_000_000)],
  ])('is written to its end when it is long and consists of %s', (_, run) => {
    expect(row(`a${run}b`)).toBe(`a${run}b`);
    expect(row(`a\t${run}=1`)).toBe(`a\t${run}'=1`);
  });

  it('belongs to the row and column of its value', () => {
    expect(formatHeader(['a', 'b'])).toBe('\ufeffa,b\r\n');
    expect(
      formatRows(
        [
          { b: 2, a: 1, c: 3 },
          { a: 4, b: 5 },
        ],
        ['a', 'b'],
      ),
    ).toBe('1,2\r\n4,5\r\n');
  });
});

describe('a file', () => {
  const server = sharedApp();
  let staff: Staff;
  const count = 450;

  beforeAll(async () => {
    staff = await newStaff(server, 'viewer');
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    await activate(server, user, key);
    for (let index = 0; index < count; index++) {
      const [email, full_name] = [`row-${index}@example.net`, index === 0 ? '=cmd|calc' : `Name, ${index}`];
      await server.services.accounts.create({ email, full_name }, byCommand);
    }
  });

  it.each(['accounts', 'licenses', 'devices', 'apiKeys', 'audit'] as const)(
    'of %s has a header and every row',
    async (name) => {
      const response = await staff.browser.call(name, { query: { format: 'csv' } });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="[a-z-]+\.csv"$/);
      const lines = response.text.replace('\ufeff', '').split('\r\n');
      expect(lines.at(-1)).toBe('');
      expect(lines[0]).toMatch(/^[a-z_]+(,[a-z_]+)+$/);
      if (name === 'audit') expect(lines[0]).toBe('id,at,actor,action,target,target_id,address,details');
      if (name === 'apiKeys') expect(lines).toHaveLength(2);
      else expect(lines.length).toBeGreaterThan(2);
    },
  );

  it('has the same rows as its list with the same filters, even if the list has several pages', async () => {
    const linesOf = async (query: Record<string, string>) =>
      (await staff.browser.call('accounts', { query: { ...query, format: 'csv' } })).text.trim().split('\r\n').slice(1);
    expect(await linesOf({ search: 'row-' })).toHaveLength(count);
    const lines = await linesOf({ search: 'row-0@' });
    expect(lines).toStrictEqual([expect.stringContaining("row-0@example.net,'=cmd|calc,")]);
    expect(await linesOf({ search: 'nobody' })).toStrictEqual([]);
  });

  it('is not sent for an invalid query', async () => {
    for (const query of [{ format: 'xlsx' }, { format: 'csv', status: 'odd' }, { limit: '0' }] as Record<
      string,
      string
    >[]) {
      expect((await staff.browser.call('accounts', { query })).status).toBe(400);
    }
  });
});

/** Which files the import commands read, and how they report others. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAdmin, expectDocument, expectFailure, expectUsage } from '../../harness/test-admin.ts';
import { importLines, writeCsv } from './import-files.ts';

const noRows = { rows: 0, imported: 0, refused: [] };

describe('a file to import', () => {
  it('may consist of a header only', async () => {
    const admin = createAdmin();
    expect(await importLines(admin, 'accounts', ['email,full_name,password_hash'])).toEqual(noRows);
    expect(await importLines(admin, 'licenses', ['license_key'], '--dry-run')).toEqual(noRows);
  });

  it('may have a byte order mark, columns in any order and case, CRLF, and quoted fields', async () => {
    const admin = createAdmin();
    const content =
      '\ufeffFull_Name, EMAIL\r\n"Ada\r\n""Countess"" Lovelace",ada@lab.org\r\n\r\nBob "the builder",bob@lab.org';
    const path = writeCsv(admin, content);
    expect(await admin.json(['import', 'accounts', path])).toEqual({ rows: 2, imported: 2, refused: [] });
    expect(await admin.json(['user', 'list'])).toMatchObject([
      { email: 'ada@lab.org', full_name: 'Ada\r\n"Countess" Lovelace' },
      { email: 'bob@lab.org', full_name: 'Bob "the builder"' },
    ]);
  });

  it.each([
    ['is empty', '', 'empty'],
    ['lacks a column', 'full_name\nAda\n', 'email'],
    ['has an unknown column', 'email,fullname\nada@lab.org,Ada\n', 'fullname'],
    ['has a column twice', 'email,email\n', 'twice'],
    ['is not UTF-8', Buffer.from('email\ncaf\xe9@lab.org\n', 'latin1'), 'UTF-8'],
    [
      'has a quotation mark that is never closed',
      'email,full_name\nada@lab.org,"Ada\nbob@lab.org,Bob\n',
      'quotation mark',
    ],
    ['has an endless row', `email\n${'x'.repeat(200_000)}\n`, 'longer than'],
  ])('is refused as a whole if it %s', async (_, content, word) => {
    const admin = createAdmin();
    const result = await admin.runHere(['import', 'accounts', writeCsv(admin, content), '--json']);
    expectFailure(result, 'VALIDATION_ERROR');
    expect(result.stderr).toContain(word);
    expect(await admin.json(['user', 'list'])).toEqual([]);
  });

  it.each([
    ['does not exist', 'missing.csv', /there is no file \S+missing\.csv\./],
    ['is a folder', 'folder', /folder is a folder\./],
  ])('that %s is reported as NOT_FOUND with the reason', async (_, name, sentence) => {
    const admin = createAdmin();
    mkdirSync(join(admin.folder, 'folder'));
    const result = await admin.runHere(['import', 'licenses', join(admin.folder, name), '--json']);
    expectFailure(result, 'NOT_FOUND');
    expect(JSON.parse(result.stderr).error).toMatch(sentence);
  });

  it('that is broken keeps the rows imported before that point, and says so', async () => {
    const admin = createAdmin();
    const emails = Array.from({ length: 1700 }, (_, index) => `user-${index}@lab.org`);
    const path = writeCsv(admin, ['email', ...emails, '"broken']);
    const result = await admin.runHere(['import', 'accounts', path, '--json']);
    expectFailure(result, 'VALIDATION_ERROR');
    expect(result.stderr).toContain('1500 rows before it were imported');
    expect(await admin.json(['user', 'list'])).toHaveLength(1500);
  });

  it('is reported in text as not written in a dry run', async () => {
    const admin = createAdmin();
    const file = writeCsv(admin, ['email', 'ada@lab.org']);
    const { stdout } = await admin.runHere(['import', 'accounts', file, '--dry-run']);
    expect(stdout).toMatch(/^Dry run: nothing was written\..*\n\nrows {6}1\nimported {2}1\n/);
  });

  it('is reported in text with every refused row', async () => {
    const admin = createAdmin();
    const { code, stdout } = await admin.runHere([
      'import',
      'accounts',
      writeCsv(admin, ['email', 'a', 'ada@lab.org']),
    ]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^rows {6}2\nimported {2}1\nrefused {3}1\n\nrow {2}reason\n1 {4}email must be an address/);
  });

  it('may have thousands of refused rows, which are reported in order, each with its own reason', async () => {
    const admin = await createAdmin();
    const names = Array.from({ length: 2500 }, (_, index) => `plan-${index}`);
    const lines = ['license_key,plan', ...names.map((name) => `key-of-${name},${name}`)];
    const report = await importLines(admin, 'licenses', lines);
    const refused = names.map((name, index) => ({ row: index + 1, reason: `There is no plan named "${name}".` }));
    expect(report).toEqual({ rows: 2500, imported: 0, refused });
  });

  it('requires a kind, a path and a known system on the command line', async () => {
    const admin = createAdmin();
    for (const words of [['import'], ['import', 'accounts'], ['import', 'users', 'x.csv']]) {
      expectUsage(await admin.runHere(words));
    }
    expectUsage(await admin.runHere(['import', 'licenses', 'x.csv', '--from', 'gumroad']));
    expectUsage(await admin.runHere(['import', 'api-keys', 'x.csv', '--from', 'keygen']));
  });
});

describe('a file of another system', () => {
  it('is read from Keygen by its own columns and statuses', async () => {
    const admin = createAdmin();
    await importLines(
      admin,
      'accounts',
      ['id,email,firstName,lastName,role', 'u1,ada@lab.org,Ada,Lovelace,user'],
      '--from',
      'keygen',
    );
    expect(await admin.json(['user', 'show', 'ada@lab.org'])).toMatchObject({ full_name: 'Ada Lovelace' });
    const lines = ['id,key,name,expiry,status,uses,maxMachines,userEmail,created'];
    for (const [index, status] of ['ACTIVE', 'INACTIVE', 'EXPIRING', 'EXPIRED', 'SUSPENDED', 'BANNED'].entries()) {
      lines.push(`l${index},key-${index},,2099-01-31T00:00:00.000Z,${status},0,5,ada@lab.org,x`);
    }
    const result = await admin.runHere(['import', 'licenses', writeCsv(admin, lines), '--from', 'keygen', '--json']);
    expect(expectDocument(result)).toMatchObject({ imported: 6 });
    const listed = await admin.json<{ status: string; max_activations: number }[]>(['license', 'list']);
    expect(listed.map(({ status }) => status).sort()).toEqual([
      'active',
      'active',
      'active',
      'expired',
      'inactive',
      'revoked',
    ]);
    expect(listed[0]).toMatchObject({
      max_activations: 5,
      email: 'ada@lab.org',
      expires_at: '2099-01-31T00:00:00.000Z',
    });
  });

  it('is read from Lemon Squeezy by its own columns and statuses', async () => {
    const admin = createAdmin();
    const customers = ['Name,Email,MRR', 'Ada Lovelace,ada@lab.org,9'];
    expect(await importLines(admin, 'accounts', customers, '--from', 'lemonsqueezy')).toMatchObject({ imported: 1 });
    const lines = ['id,key,user_email,status,activation_limit,instances_count,disabled,expires_at'];
    lines.push('1,80e15db5-c796-436b-850c-8f9c98a48abe,ada@lab.org,inactive,2,0,0,null');
    lines.push(
      '2,k-2,ada@lab.org,active,2,1,false,2021-04-06 14:15:07',
      '3,k-3,ada@lab.org,disabled,,0,1,2099-04-06T14:15:07.000000Z',
    );
    expect(await importLines(admin, 'licenses', lines, '--from', 'lemonsqueezy')).toMatchObject({
      refused: [],
      imported: 3,
    });
    const listed = await admin.json<{ status: string; max_activations: number }[]>(['license', 'list']);
    const brief = listed.map(({ status, max_activations }) => `${status} ${max_activations}`);
    expect(brief.sort()).toEqual(['active 2', 'expired 2', 'inactive 3']);
  });
});

/** `import api-keys`: imported keys of another system become legacy keys. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { startHttpServer } from '../../harness/http-server.ts';
import { invalid, sentence } from '../../harness/response-shapes.ts';
import { describeEachDatabase } from '../audit/databases.ts';
import { importLines } from './import-files.ts';

const header = 'email,key,sha256,expires_at';
const end = '2099-01-31';

describeEachDatabase((database) => {
  it('imported API keys are valid until they expire, and replace the existing key of an account', async () => {
    const admin = await database.createAdmin();
    const server = await startHttpServer(admin);
    const validate = async (api_key: string) => (await server.call('validateApiKey', { body: { api_key } })).body;
    for (const name of ['ada', 'bob', 'cyd']) await admin.createUser(`${name}@lab.org`);
    expect(await validate('old key')).toEqual(invalid('INVALID_API_KEY'));
    const sha256 = createHash('sha256').update('key-of-bob').digest('hex');
    const lines = [
      header,
      `ada@lab.org,key-of-ada,,${end}`,
      `bob@lab.org,,${sha256},${end}`,
      'cyd@lab.org,key-of-cyd,,2020-01-31',
    ];
    expect(await importLines(admin, 'api-keys', lines)).toEqual({ rows: 3, imported: 3, refused: [] });
    for (const key of ['key-of-ada', 'key-of-bob']) {
      // PostgreSQL notifies the server of the import shortly after it.
      await expect.poll(() => validate(key)).toMatchObject({ valid: true, source: 'legacy', plan: 'free' });
    }
    expect(await validate('key-of-cyd')).toEqual({
      valid: false,
      code: 'SUBSCRIPTION_EXPIRED',
      expires_at: '2020-01-31T00:00:00.000Z',
    });
    const more = [header, `ada@lab.org,second,,${end}`, `ada@lab.org,third,,${end}`];
    expect(await importLines(admin, 'api-keys', more)).toMatchObject({ imported: 2 });
    for (const key of ['key-of-ada', 'second']) {
      await expect.poll(() => validate(key)).toEqual(invalid('INVALID_API_KEY'));
    }
    expect(await validate('third')).toMatchObject({ valid: true });
    for (const all of [lines, more]) expect(await importLines(admin, 'api-keys', all)).toMatchObject({ imported: 0 });
    expect(await validate('third'), 'older keys do not come back').toMatchObject({ valid: true });
  });

  it('rejects each invalid row, also in a dry run', async () => {
    const admin = await database.createAdmin();
    for (const name of ['ada', 'bob']) await admin.createUser(`${name}@lab.org`);
    const lines = [
      header,
      `ada@lab.org,a-key,,${end}`,
      `bob@lab.org,a-key,,${end}`,
      `nobody@lab.org,k,,${end}`,
      'bob@lab.org,k,,',
    ];
    lines.push(`bob@lab.org,,,${end}`, `bob@lab.org,k,${'0'.repeat(64)},${end}`, `bob@lab.org,,123,${end}`);
    lines.push(`bob@lab.org,\0-a-key-with-nul,,${end}`);
    const refused = [2, 3, 4, 5, 6, 7, 8].map((row) => ({ row, reason: sentence }));
    const dry = await importLines(admin, 'api-keys', lines, '--dry-run');
    expect(dry).toEqual({ rows: 8, imported: 1, refused });
    expect(await importLines(admin, 'api-keys', lines)).toEqual(dry);
  });
});

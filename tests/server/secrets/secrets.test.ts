/** The secrets file: created once, bound to its database, and never recreated for a database that already has one. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOverview } from '../../../server/admin-api/overview.ts';
import { checkDatabase } from '../../../server/backup/check-database.ts';
import { openSecrets } from '../../../server/secrets/secrets.ts';
import { systemRandom } from '../../../server/system-random.ts';
import { minute } from '../../harness/fake-clock.ts';
import { startApp, type TestApp } from '../../harness/start-app.ts';
import { removeFolder } from '../../harness/temporary-folder.ts';

let server: TestApp;
beforeEach(async () => {
  server = await startApp();
});
afterEach(async () => {
  await server.stop();
  removeFolder(server.dataFolder);
});

const path = () => server.config.secretsFile;
const openAgain = () => openSecrets(path(), server.database, systemRandom);

/** Returns the content of a file with other secrets. */
function otherSecrets(): string {
  const file = JSON.parse(readFileSync(path(), 'utf8'));
  return JSON.stringify({ ...file, pepper: file.master_key });
}

describe('the secrets', () => {
  it('are readable by their owner only, and the same at the next start', async () => {
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect((await openAgain()).masterKeys).toEqual(server.secrets.masterKeys);
    expect(server.secrets.masterKeys).toEqual([expect.any(Buffer)]);
    expect(server.secrets.pepper).toEqual(expect.any(Buffer));
  });

  it('are not recreated when the file is lost', async () => {
    rmSync(path());
    await expect(openAgain()).rejects.toThrow(/is missing.*backup.*another server/);
    expect(() => statSync(path())).toThrow();
  });

  it.each([
    ['missing', 'is missing', () => rmSync(path())],
    ['damaged', 'cannot be read', () => writeFileSync(path(), '{}')],
    ['of another database', 'belongs to another database', () => writeFileSync(path(), otherSecrets())],
  ])('whose file is %s are reported while the server runs, with what to do', async (_, problem, lose) => {
    const readAttention = async () => (await readOverview({ ...server, ...server.services })).attention;
    const isReported = async () => (await readAttention()).some(({ kind }) => kind === 'secrets_file_lost');
    const metric = async () =>
      /^latchkey_secrets_file_valid (.)$/m.exec((await server.request('GET', '/metrics')).text);
    expect([await isReported(), (await metric())?.[1]]).toEqual([false, '1']);
    lose();
    server.clock.advance(2 * minute);
    expect([await isReported(), (await metric())?.[1]]).toEqual([true, '0']);
    const { problems } = await checkDatabase(server);
    expect(problems).toEqual([expect.stringMatching(new RegExp(`secrets.json ${problem}: keep the server running`))]);
  });

  it('are rejected if they belong to another database', async () => {
    writeFileSync(path(), otherSecrets());
    await expect(openAgain()).rejects.toThrow(/another database/);
  });

  it('are not quoted in the error about a damaged file', async () => {
    const text = readFileSync(path(), 'utf8');
    writeFileSync(path(), text.slice(0, -20));
    const error = await openAgain().catch((reason: Error) => reason);
    expect(String(error)).toMatch(/cannot be read as a secrets file/);
    expect(JSON.stringify([error, (error as Error).cause ?? null])).not.toContain(JSON.parse(text).master_key);
  });

  it('encrypt the signing keys, so that the database alone cannot sign anything', async () => {
    const row = await server.database.read.selectFrom('signing_keys').selectAll().executeTakeFirstOrThrow();
    expect(Buffer.from(row.encrypted_key, 'base64url')).toHaveLength(12 + 16 + 32);
  });
});

/** The secrets file: created once, bound to its database, and never recreated for a database that already has one. */
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSecrets } from '../../../server/secrets/secrets.ts';
import { systemRandom } from '../../../server/system-random.ts';
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

describe('the secrets', () => {
  it('are readable by their owner only, and the same at the next start', async () => {
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect((await openAgain()).masterKeys).toEqual(server.secrets.masterKeys);
    expect(server.secrets.masterKeys).toEqual([expect.any(Buffer)]);
    expect(server.secrets.pepper).toEqual(expect.any(Buffer));
  });

  it('are not recreated when the file is lost', async () => {
    rmSync(path());
    await expect(openAgain()).rejects.toThrow(/is missing.*backup/);
    expect(() => statSync(path())).toThrow();
  });

  it('are rejected if they belong to another database', async () => {
    const file = JSON.parse(readFileSync(path(), 'utf8'));
    chmodSync(path(), 0o600);
    writeFileSync(path(), JSON.stringify({ ...file, pepper: file.master_key }));
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

/** An unreadable SQLite file is not the fault of the request, so the response is 503, not 500. */
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { envelope } from '../../harness/response-shapes.ts';
import { startApp, startTestApp } from '../../harness/start-app.ts';
import { removeFolder } from '../../harness/temporary-folder.ts';
import { goodPassword, signUp } from '../../harness/users.ts';

it('a read from a damaged file gets 503 with Retry-After', async () => {
  const server = await startTestApp();
  const { databaseFile } = server.config;
  const other = new DatabaseSync(databaseFile);
  other.exec('pragma wal_checkpoint(truncate)');
  other.close();
  const file = openSync(databaseFile, 'r+');
  const pageBytes = 4096;
  writeSync(file, Buffer.alloc(statSync(databaseFile).size - pageBytes, 0xab), 0, undefined, pageBytes);
  closeSync(file);
  const { status, headers, body } = await server.call('login', { body: { email: 'ada@example.com', password: 'x' } });
  expect(status).toBe(503);
  expect(body.code).toBe('SERVICE_UNAVAILABLE');
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
});

it.each(['login', 'subscriptionStatus', 'changePassword'] as const)(
  'a request whose client is gone, which the server does not wait for when it stops, is not an error of it: %s',
  async (name) => {
    const server = await startApp();
    const { email, token } = await signUp(server);
    const passwords = { email, password: goodPassword, current_password: goodPassword, new_password: 'another one 12' };
    await server.database.close();
    const { status, body } = await server.call(name, {
      token,
      ...(name !== 'subscriptionStatus' && { body: passwords }),
    });
    expect([status, body]).toEqual([503, envelope('SERVICE_UNAVAILABLE')]);
    await server.stop();
    removeFolder(server.dataFolder);
  },
);

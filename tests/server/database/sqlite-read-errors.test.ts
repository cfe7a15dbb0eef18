/** An unreadable SQLite file is not the fault of the request, so the response is 503, not 500. */
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { startTestApp } from '../../harness/start-app.ts';

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

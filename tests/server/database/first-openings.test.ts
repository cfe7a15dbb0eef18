/** A new database that several connections open at the same time, as commands and servers do before the first start. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { ensureDatabaseFile } from '../../../server/database/sqlite-database.ts';
import { temporaryFolder } from '../../harness/test-admin.ts';

const openings = 4;
/** Without the second attempt, about one round in 25 fails. */
const rounds = 150;

const script = `
  const { openSqlite } = await import(${JSON.stringify(new URL('../../../server/database/sqlite-database.ts', import.meta.url).href)});
  const { parentPort } = await import('node:worker_threads');
  parentPort.on('message', async (path) => {
    const clock = { now: Date.now, monotonic: () => performance.now() };
    const result = await openSqlite(path, clock).then((database) => database.close()).catch(String);
    parentPort.postMessage(result ?? 'opened');
  });
  parentPort.postMessage('ready');
`;

it('opens in each of them, though all switch it to the write-ahead log', { timeout: 60_000 }, async () => {
  const folder = temporaryFolder();
  const workers = Array.from({ length: openings }, () => new Worker(script, { eval: true }));
  onTestFinished(async () => {
    await Promise.all(workers.map((worker) => worker.terminate()));
  });
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  for (let round = 0; round < rounds; round++) {
    const path = `${folder}/${round}.db`;
    ensureDatabaseFile(path);
    const results = workers.map((worker) => once(worker, 'message'));
    for (const worker of workers) worker.postMessage(path);
    for (const [result] of await Promise.all(results)) expect(result).toBe('opened');
  }
});

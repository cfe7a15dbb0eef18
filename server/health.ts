/** `/healthz` responds while the process runs, `/readyz` while it can read and write its database. */
import type { FastifyInstance } from 'fastify';
import type { Database, Transaction } from './database/database.ts';
import { DatabaseUnavailable } from './database/database-errors.ts';
import { probeSpace } from './database/probe-space.ts';
import { Deadline, deadlineMs, runWithDeadline, withinTime } from './deadline.ts';

/** How long a request waits for the probe. */
const readyTimeoutMs = 3000;

/** Adds the two routes, which need no authentication and are not rate limited. */
export function addHealthRoutes(app: FastifyInstance, database: Database): void {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  const probe = shareCalls(() => probeDatabase(database));
  app.get('/healthz', async (_request, reply) => reply.headers(headers).send('{"status":"ok"}'));
  app.get('/readyz', async (_request, reply) => {
    await waitUntilReady(probe());
    return reply.headers(headers).send('{"status":"ready"}');
  });
}

/** Throws `DatabaseUnavailable`, including when the probe takes too long. */
async function waitUntilReady(probing: Promise<void>): Promise<void> {
  try {
    await withinTime(probing, readyTimeoutMs, () => new Error(`no response within ${readyTimeoutMs} ms`));
  } catch (error) {
    throw error instanceof DatabaseUnavailable ? error : new DatabaseUnavailable(error);
  }
}

/**
 * Reads, and writes without changing anything. After a failed write it really writes, since a statement without effect
 * needs no disk space. The probe continues after its request has been answered: a query that exceeds its own time
 * limit shows that connections no longer respond, and then the idle ones are replaced too.
 */
async function probeDatabase(database: Database): Promise<void> {
  await runWithDeadline(new Deadline(deadlineMs), () =>
    Promise.all([
      database.read.selectFrom('meta').select('name').limit(1).execute(),
      database.write((transaction) => probeWrite(transaction, database.writeStatistics.hasFailed)),
    ]),
  );
}

async function probeWrite(transaction: Transaction, isReal: boolean): Promise<void> {
  await transaction.deleteFrom('meta').where('name', '=', 'probe').execute();
  if (isReal) await probeSpace(transaction);
}

/** Returns a function that runs `work` once at a time; calls made while it is running share its result. */
function shareCalls(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

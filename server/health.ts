/** `/healthz` responds while the process runs, `/readyz` while it can read from its database. */
import type { FastifyInstance } from 'fastify';
import type { Database } from './database/database.ts';
import { DatabaseUnavailable } from './database/database-errors.ts';

/** Neither needs authentication or is rate limited. */
export function addHealthRoutes(app: FastifyInstance, database: Database): void {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  app.get('/healthz', async (_request, reply) => reply.headers(headers).send('{"status":"ok"}'));
  app.get('/readyz', async (_request, reply) => {
    await readFromDatabase(database);
    return reply.headers(headers).send('{"status":"ready"}');
  });
}

async function readFromDatabase(database: Database): Promise<void> {
  try {
    await database.read.selectFrom('meta').select('name').limit(1).execute();
  } catch (error) {
    throw new DatabaseUnavailable(error);
  }
}

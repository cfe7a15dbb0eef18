/** `/healthz` responds while the process runs, `/readyz` while it can read and write its database. */
import type { FastifyInstance } from 'fastify';
import type { Probe } from './database/probe.ts';

/** Adds the two routes, which need no authentication and are not rate limited. */
export function addHealthRoutes(app: FastifyInstance, probe: Probe): void {
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  app.get('/healthz', async (_request, reply) => reply.headers(headers).send('{"status":"ok"}'));
  app.get('/readyz', async (_request, reply) => {
    await probe();
    return reply.headers(headers).send('{"status":"ready"}');
  });
}

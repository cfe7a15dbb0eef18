/** The health checks `/healthz` and `/readyz`. */
import { expect, it } from 'vitest';
import { startTestApp } from '../harness/start-app.ts';

it('the server is healthy and ready, without authentication or a rate limit', async () => {
  const server = await startTestApp();
  for (const url of ['/healthz', '/readyz']) {
    const { status, body } = await server.request('GET', url);
    expect(status).toBe(200);
    expect(body).toEqual({ status: url === '/healthz' ? 'ok' : 'ready' });
  }
});

it('the server is healthy but not ready when the database cannot be read', async () => {
  const server = await startTestApp();
  await server.database.close();
  expect((await server.request('GET', '/healthz')).status).toBe(200);
  const { status, body } = await server.request('GET', '/readyz');
  expect(status).toBe(503);
  expect(body.code).toBe('SERVICE_UNAVAILABLE');
});

/** `/healthz` and `/readyz`. */
import { expect, it } from 'vitest';
import { startTestApp } from '../harness/start-app.ts';

it('is healthy and ready, without being signed in and without a limit', async () => {
  const service = await startTestApp();
  for (const url of ['/healthz', '/readyz']) {
    const response = await service.app.inject(url);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual({ status: url === '/healthz' ? 'ok' : 'ready' });
  }
  await service.close();
});

it('is healthy but not ready when the database cannot be read', async () => {
  const service = await startTestApp();
  await service.database.close();
  expect((await service.app.inject('/healthz')).statusCode).toBe(200);
  const response = await service.app.inject('/readyz');
  expect(response.statusCode).toBe(503);
  expect(response.json().code).toBe('SERVICE_UNAVAILABLE');
  await service.app.close();
});

/** Over real connections: what cannot be done in time is refused with 503, and what nobody waits for is not done. */
import { request as sendRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { apiRoot } from '../../../shared/api/endpoints.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { holdWriteLock } from '../../harness/lock-holder.ts';
import { createAdmin } from '../../harness/test-admin.ts';
import { stringIn } from '../../harness/test-client.ts';
import { goodPassword, newEmail, subscriber } from '../../harness/users.ts';

it('the regeneration of a client that hung up while it waited is not done', async () => {
  const server = await startHttpServer(createAdmin());
  const user = await subscriber(server);
  const key = stringIn((await server.call('apiKey', { token: user.token })).body, 'api_key');
  const holder = await holdWriteLock(join(server.dataFolder, 'latchkey.db'), server.dataFolder);
  const body = '{"regenerate":true}';
  const request = sendRequest(`${server.url}${apiRoot}/metrics/api-key`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.token}`,
      'content-type': 'application/json',
      'content-length': body.length,
    },
  });
  request.on('error', () => undefined).end(body);
  await sleep(1000);
  request.destroy();
  await sleep(500);
  await holder.release();
  // A later write shows that the queue has gone on.
  await subscriber(server);
  expect((await server.call('validateApiKey', { body: { api_key: key } })).body).toMatchObject({ valid: true });
}, 120_000);

it('while another process holds the write lock, sign-ups get 503 with Retry-After and the server is not ready', async () => {
  const server = await startHttpServer(createAdmin());
  const holder = await holdWriteLock(join(server.dataFolder, 'latchkey.db'), server.dataFolder);
  const signUp = () => server.call('signup', { body: { email: newEmail(), password: goodPassword } });
  const first = await signUp();
  expect(first.status).toBe(503);
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  const startedMs = performance.now();
  expect((await signUp()).status).toBe(503);
  expect(performance.now() - startedMs).toBeLessThan(4000);
  expect((await server.request('GET', '/readyz')).status).toBe(503);
  expect((await server.request('GET', '/healthz')).status).toBe(200);
  await holder.release();
  expect((await signUp()).status).toBe(200);
  expect((await server.request('GET', '/readyz')).status).toBe(200);
}, 120_000);

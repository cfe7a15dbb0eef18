/**
 * Over real connections: a request that cannot be handled in time gets 503, and work that no client waits for is
 * skipped.
 */
import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PasswordHasher } from '../../../server/accounts/password-hasher.ts';
import { Deadline, DeadlineExceeded, deadlineMs, runWithDeadline } from '../../../server/deadline.ts';
import { apiRoot } from '../../../shared/api/endpoints.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { holdWriteLock } from '../../harness/lock-holder.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { createAdmin } from '../../harness/test-admin.ts';
import { stringIn } from '../../harness/test-client.ts';
import { goodPassword, newEmail, subscriber } from '../../harness/users.ts';

it('an API key is not regenerated for a client that disconnected while it waited', async () => {
  const server = await startTestApp();
  const url = await server.app.listen({ host: '127.0.0.1', port: 0 });
  const user = await subscriber(server);
  const key = stringIn((await server.call('apiKey', { token: user.token })).body, 'api_key');
  const holder = await holdWriteLock(join(server.dataFolder, 'latchkey.db'), server.dataFolder);
  const connected = once(server.app.server, 'connection') as Promise<[Socket]>;
  const body = '{"regenerate":true}';
  const request = sendRequest(`${url}${apiRoot}/metrics/api-key`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user.token}`,
      'content-type': 'application/json',
      'content-length': body.length,
    },
  });
  request.on('error', () => undefined).end(body);
  const [connection] = await connected;
  await expect.poll(() => server.database.writeStatistics.waiting).toBeGreaterThan(0);
  request.destroy();
  await once(connection, 'close');
  await holder.release();
  // A later write shows that the queue has moved on.
  await subscriber(server);
  expect((await server.call('validateApiKey', { body: { api_key: key } })).body).toMatchObject({ valid: true });
});

it('while another process holds the write lock, sign-ups get 503 with Retry-After and the server is not ready', async () => {
  const server = await startHttpServer(createAdmin());
  const holder = await holdWriteLock(join(server.dataFolder, 'latchkey.db'), server.dataFolder);
  const signUp = () => server.call('signup', { body: { email: newEmail(), password: goodPassword } });
  const first = await signUp();
  expect(first.status).toBe(503);
  expect(Number(first.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await signUp()).status).toBe(503);
  expect((await server.request('GET', '/readyz')).status).toBe(503);
  expect((await server.request('GET', '/healthz')).status).toBe(200);
  await holder.release();
  expect((await signUp()).status).toBe(200);
  expect((await server.request('GET', '/readyz')).status).toBe(200);
});

it('the time that a client takes to send the body does not count', async () => {
  const { app, clock } = await startTestApp();
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  // Only reads: a write that finds the file locked at this moment would count the leap of the clock as waiting.
  const body = JSON.stringify({ email: newEmail(), password: goodPassword });
  const request = sendRequest(`${url}${apiRoot}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length, expect: '100-continue' },
  });
  const response = new Promise<number | undefined>((resolve, reject) => {
    request.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject);
  });
  request.flushHeaders();
  // The interim response shows that the request is being handled.
  await once(request, 'continue');
  clock.advance(2 * deadlineMs);
  request.end(body);
  expect(await response).toBe(404);
});

it('a request whose deadline has passed gets 503 with Retry-After', async () => {
  const server = await startTestApp({}, { deadlineMs: 0 });
  const response = await server.call('signup', { body: { email: newEmail(), password: goodPassword } });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
});

it('a password is not hashed for a client that disconnected while it waited', async () => {
  const hasher = new PasswordHasher();
  let isClosed = false;
  const deadline = new Deadline(60_000, () => isClosed);
  const before = Array.from({ length: 4 }, () => hasher.hash('violet tram'));
  const abandoned = runWithDeadline(deadline, () => hasher.hash('violet tram'));
  isClosed = true;
  await expect(abandoned).rejects.toThrow(DeadlineExceeded);
  await Promise.all(before);
});

/** The id of a request is in its response and in the log, and only a trusted proxy chooses it. */
import { describe, expect, it } from 'vitest';
import { sharedApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import type { TestResponse } from '../../harness/test-client.ts';

const direct = sharedApp();
const behindProxy = sharedApp({ LATCHKEY_TRUST_PROXY: '10.0.0.1' });

const idOf = ({ headers }: TestResponse) => headers.get('x-request-id');

/** The ids of the requests that have a line in the log. */
function loggedIds({ logText }: TestApp): unknown[] {
  const lines = logText().split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line).requestId).filter((id) => id !== undefined);
}

describe('every response has an id', () => {
  it.each([
    ['GET', '/healthz', 200],
    ['POST', '/api/v1/metrics/api-key/validate', 400],
    ['GET', '/api/v1/subscription/status', 401],
    ['GET', '/nowhere', 404],
    ['PUT', '/healthz', 405],
    ['GET', '/api/v1/%zz', 400],
  ])('%s %s', async (method, path, status) => {
    const first = await direct.request(method, path);
    expect(first.status).toBe(status);
    expect(idOf(first)).toMatch(/^[\w-]{12}$/);
    expect(idOf(await direct.request(method, path))).not.toBe(idOf(first));
  });

  it('of its own, whatever a client sends', async () => {
    const response = await direct.request('GET', '/healthz', { headers: { 'x-request-id': 'chosen-by-a-client' } });
    expect(idOf(response)).toMatch(/^[\w-]{12}$/);
  });
});

describe('the log', () => {
  it('names a refused request by the id in its response', async () => {
    const server = await startTestApp();
    const refused = await server.call('subscriptionStatus');
    expect(loggedIds(server)).toStrictEqual([idOf(refused)]);
  });

  it('names a failed request by it, in the line of the error too', async () => {
    const server = await startTestApp();
    await server.database.close();
    const failed = await server.request('GET', '/readyz');
    expect(failed.status).toBe(503);
    expect(loggedIds(server)).toStrictEqual([idOf(failed), idOf(failed)]);
  });
});

describe('a trusted proxy', () => {
  const send = (id: string, from: string) =>
    behindProxy.request('GET', '/healthz', { headers: { 'x-request-id': id }, from });

  it.each(['c0ffee00c0ffee00c0ffee00c0ffee00', '9b2e1c1a-8f5e-4d7b-9f55-5c1d6a7e0b11', 'Root=1-67891233-abcdef012345'])(
    'chooses the id: %s',
    async (id) => {
      expect(idOf(await send(id, '10.0.0.1'))).toBe(id);
    },
  );

  it.each(['two words', 'x'.repeat(101), '{"level":60}', '', 'a,b'])('does not choose this one: %j', async (id) => {
    expect(idOf(await send(id, '10.0.0.1'))).toMatch(/^[\w-]{12}$/);
  });

  it('is the only one to choose it', async () => {
    expect(idOf(await send('c0ffee00', '192.0.2.1'))).toMatch(/^[\w-]{12}$/);
  });
});

/** `/openapi.json`: no authentication, and a rate limit. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitsOn, startTestApp, type TestApp } from '../../harness/start-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await startTestApp(limitsOn);
});
afterAll(() => test.close());

describe('/openapi.json', () => {
  it('is the document, with a relative server URL', async () => {
    const { status, body } = await test.call('GET', '/openapi.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api/v1' }] });
  });

  it('does not name the software', async () => {
    const { text, headers } = await test.call('GET', '/openapi.json');
    expect(text + JSON.stringify(headers)).not.toMatch(/latchkey|fastify/i);
  });

  it('is limited by address', async () => {
    const statuses = new Set<number>();
    for (let call = 0; call < 61; call++) {
      statuses.add((await test.call('GET', '/openapi.json', { from: '203.0.113.9' })).status);
    }
    expect([...statuses]).toStrictEqual([200, 429]);
    expect((await test.call('GET', '/openapi.json', { from: '203.0.113.10' })).status).toBe(200);
  });
});

/** `/openapi.json`: no authentication, and a rate limit. */
import { describe, expect, it } from 'vitest';
import { limitsOn } from '../../harness/environment.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp(limitsOn);

describe('/openapi.json', () => {
  it('is the document, with a relative server URL', async () => {
    const { status, body } = await server.request('GET', '/api/v1/openapi.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api/v1' }] });
  });

  it('names the software as little as any other response', async () => {
    const { text, headers } = await server.request('GET', '/api/v1/openapi.json');
    expect(text + JSON.stringify([...headers])).not.toMatch(/latchkey|fastify/i);
  });

  it('is limited by address', async () => {
    const statuses = new Set<number>();
    for (let call = 0; call < 61; call++) {
      statuses.add((await server.request('GET', '/api/v1/openapi.json', { from: '203.0.113.9' })).status);
    }
    expect([...statuses]).toStrictEqual([200, 429]);
    expect((await server.request('GET', '/api/v1/openapi.json', { from: '203.0.113.10' })).status).toBe(200);
  });
});

/** `/openapi.json`: public and rate limited. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../shared/api/endpoints.ts';
import { integrationEndpoints } from '../../../shared/api/integration-endpoints.ts';
import { limitsOn } from '../../harness/environment.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp(limitsOn);

describe('/openapi.json', () => {
  it('is the document, with a relative server URL', async () => {
    const { status, body } = await server.request('GET', '/api/v1/openapi.json');
    expect(status).toBe(200);
    expect(body).toMatchObject({ openapi: '3.1.0', servers: [{ url: '/api/v1' }] });
  });

  it('reveals the software no more than any other response', async () => {
    const { text, headers } = await server.request('GET', '/api/v1/openapi.json');
    expect(text + JSON.stringify([...headers])).not.toMatch(/latchkey|fastify/i);
  });

  it('is limited per address', async () => {
    const statuses = new Set<number>();
    for (let call = 0; call < 61; call++) {
      statuses.add((await server.request('GET', '/api/v1/openapi.json', { from: '203.0.113.9' })).status);
    }
    expect([...statuses]).toStrictEqual([200, 429]);
    expect((await server.request('GET', '/api/v1/openapi.json', { from: '203.0.113.10' })).status).toBe(200);
  });
});

describe('/api/docs', () => {
  it('is a page with every endpoint and without scripts, whose only style sheet the policy allows by its hash', async () => {
    const { status, text, headers } = await server.request('GET', '/api/docs', { from: '203.0.113.11' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    // The page sets its own background, since the browser's may not suit the text color.
    expect(text).toMatch(/:root\{[^}]*background:light-dark\(#fff,#1b1c1f\)/);
    for (const [name, { path }] of Object.entries({ ...endpoints, ...integrationEndpoints })) {
      expect(text).toContain(`id="${name}"`);
      expect(text).toContain(path.replace(/:(\w+)/g, '{$1}'));
    }
    const style = /<style>([^<]*)<\/style>/.exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^' ]+'; frame-ancestors 'none'/,
    );
    expect(headers.get('content-security-policy')).toContain(`'sha256-${hash}'`);
    expect(text).not.toMatch(/<script|style=|https?:|latchkey/i);
  });
});

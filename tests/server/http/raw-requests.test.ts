/** Requests that no HTTP client would send: each gets an error or a closed connection, and the server keeps running. */
import { beforeAll, describe, expect, it } from 'vitest';
import { apiRoot } from '../../../shared/api/endpoints.ts';
import { formatApiKey } from '../../../shared/formats/api-key.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { sendRaw, sendRawToRoute } from '../../harness/raw-request.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { stringIn } from '../../harness/test-client.ts';
import { signUp, type User } from '../../harness/users.ts';

const server = sharedHttpServer();
let user: User;

beforeAll(async () => {
  user = await signUp(server);
});

describe('a malformed path', () => {
  it.each([
    '/api/v1/%',
    '/api/v1/%zz',
    '/api/v1/license/activations/%',
    '/api/v1/license/activations/%ff%fe',
    '/%c0%ae%c0%ae/',
  ])('is rejected with the error envelope: %s', async (path) => {
    for (const method of ['GET', 'DELETE']) {
      const request = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      const { status } = await sendRawToRoute(server.url, path, request);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
  });

  it.each(['http://127.0.0.1/api/v1/binary-hash', '//example.com/api/v1/binary-hash', '*', 'rubbish'])(
    'is handled: %s as the target of a request',
    async (target) => {
      const { status } = await sendRaw(server.url, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(500);
    },
  );

  it.each(['GET / HTTP/9.9\r\n\r\n', 'rubbish\r\n\r\n', 'GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n', '\r\n\r\n\r\n '])(
    'that is not HTTP, %j, ends in an error or a closed connection',
    async (bytes) => {
      const { status } = await sendRaw(server.url, bytes);
      expect(Number.isNaN(status) || (status >= 400 && status < 500)).toBe(true);
    },
  );

  it('with headers larger than the parser accepts gets 431', async () => {
    const request = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(server.url, request)).status).toBe(431);
  });
});

describe('a response to HEAD', () => {
  it('has the headers of GET and no body', async () => {
    const path = `${apiRoot}/binary-hash`;
    const request = `HEAD ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const { status, headers, text } = await sendRaw(server.url, request);
    expect([200, 404, 405]).toContain(status);
    expect(text).toBe('');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('bytes that are not HTTP', () => {
  it('get a 400 with the envelope and the security headers', async () => {
    const { status, headers, text } = await sendRaw(server.url, 'hello\r\n\r\n');
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('a request', () => {
  it('without a Host gets a 400 with the envelope, unless it uses HTTP/1.0', async () => {
    const path = `${apiRoot}/binary-hash`;
    const { status, text } = await sendRawToRoute(
      server.url,
      path,
      `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(400);
    expect(JSON.parse(text)).toStrictEqual(envelope('VALIDATION_ERROR'));
    expect((await sendRaw(server.url, 'GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it('with an unknown expectation gets a 417 with the security headers', async () => {
    const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: a miracle\r\n\r\n';
    const { status, headers } = await sendRaw(server.url, request);
    expect(status).toBe(417);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; base-uri 'none'/);
  });

  it('with a token of bytes that no token has gets INVALID_TOKEN', async () => {
    const path = `${apiRoot}/subscription/status`;
    const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer caf\u00e9\r\nConnection: close\r\n\r\n`;
    expect((await sendRawToRoute(server.url, path, Buffer.from(request, 'latin1'))).status).toBe(401);
  });

  it('with two different x-api-key headers is not valid', async () => {
    await server.admin('subscription', 'set', user.email, '--plan', 'standard');
    const key = stringIn((await server.call('apiKey', { token: user.token })).body, 'api_key');
    const path = `${apiRoot}/metrics/api-key/validate`;
    const lines = [
      `x-api-key: ${key}`,
      `x-api-key: ${formatApiKey('A'.repeat(24))}`,
      'Content-Length: 0',
      'Connection: close',
    ];
    const request = `POST ${path} HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n`;
    const { status, text } = await sendRawToRoute(server.url, path, request);
    expect(status).toBeLessThan(500);
    expect(JSON.parse(text)).not.toMatchObject({ valid: true });
  });
});

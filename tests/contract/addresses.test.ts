/** Addresses and methods: what is there, what is not, and the headers that every answer carries. */
import { beforeAll, describe, expect, it } from 'vitest';
import { apiRoot, type Endpoint, endpoints } from '../../shared/api/endpoints.ts';
import { errorTable } from '../../shared/api/errors.ts';
import { sendRaw, sendRawToRoute } from '../harness/raw-request.ts';
import { envelope } from '../harness/response-shapes.ts';
import { startedService } from '../harness/use-server.ts';
import { type Person, signUp } from '../harness/users.ts';

const service = startedService();
let person: Person;

beforeAll(async () => {
  person = await signUp(service);
});

const table: readonly Endpoint[] = Object.values(endpoints);
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const wrongMethods = table.flatMap(({ method, path }) =>
  methods
    .filter((other) => other !== method)
    .map((other) => ({ other, method, path: apiRoot + path.replace(/:\w+/, 'x') })),
);

describe('the interface', () => {
  it('has its ten endpoints, with the method and the authentication that it names', () => {
    const bare = table
      .filter(({ extension }) => !extension)
      .map(({ method, path, auth }) => `${method} ${path} ${auth}`);
    expect(bare.sort()).toStrictEqual(
      [
        'POST /auth/login none',
        'POST /auth/signup none',
        'POST /auth/refresh none',
        'GET /subscription/status bearer',
        'POST /license/validate bearer',
        'POST /license/activate bearer',
        'POST /metrics/api-key bearer',
        'POST /metrics/api-key/validate none',
        'POST /heartbeat bearer',
        'GET /binary-hash none',
      ].sort(),
    );
  });

  it('answers each code with the status that was decided', () => {
    const statuses = Object.fromEntries(Object.entries(errorTable).map(([code, { status }]) => [code, status]));
    expect(statuses).toMatchObject({
      VALIDATION_ERROR: 400,
      INVALID_CREDENTIALS: 401,
      INVALID_TOKEN: 401,
      TOKEN_EXPIRED: 401,
      USER_NOT_FOUND: 404,
      LICENSE_NOT_FOUND: 404,
      EMAIL_EXISTS: 409,
      MAX_ACTIVATIONS_REACHED: 409,
      LICENSE_INACTIVE: 403,
      SUBSCRIPTION_INACTIVE: 403,
      API_ACCESS_DISABLED: 403,
      RATE_LIMITED: 429,
      NOT_FOUND: 404,
      METHOD_NOT_ALLOWED: 405,
      PAYLOAD_TOO_LARGE: 413,
      UNSUPPORTED_MEDIA_TYPE: 415,
      SERVICE_UNAVAILABLE: 503,
      INTERNAL_ERROR: 500,
    });
  });
});

describe('a wrong method', () => {
  it.each(wrongMethods)('is METHOD_NOT_ALLOWED with Allow: $other $path', async ({ other, method, path }) => {
    const { status, headers, body } = await service.request(other, path, { token: person.token });
    expect(status).toBe(405);
    expect(body).toStrictEqual(envelope('METHOD_NOT_ALLOWED'));
    const allowed = (headers.get('allow') ?? '').split(/,\s*/);
    expect(allowed).toContain(method);
    expect(allowed).not.toContain(other);
  });

  it('is METHOD_NOT_ALLOWED whatever its body', async () => {
    const { status, body } = await service.request('PUT', `${apiRoot}/auth/login`, { body: 'no JSON' });
    expect(status).toBe(405);
    expect(body).toStrictEqual(envelope('METHOD_NOT_ALLOWED'));
  });
});

describe('an unknown address', () => {
  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/auth/login',
    '/api/v1/auth',
    '/api/v1/auth/login/more',
    '/api/v1/AUTH/LOGIN',
    '/api/v1/license/activations/a/b',
    '/api/v1//auth/login',
    '/favicon.ico',
    '/.env',
    '/api/v1/../../etc/passwd',
    '/api/v1/%2e%2e/%2e%2e/etc/passwd',
    '/api/v1/auth%2Flogin',
  ])('is NOT_FOUND: %s', async (path) => {
    for (const method of ['GET', 'POST']) {
      const { status, body } = await service.request(method, path);
      expect(status, method).toBe(404);
      expect(body).toStrictEqual(envelope('NOT_FOUND'));
    }
  });

  it('is NOT_FOUND whatever its body', async () => {
    const { status, body } = await service.request('POST', '/api/v1/nothing', { body: '{' });
    expect(status).toBe(404);
    expect(body).toStrictEqual(envelope('NOT_FOUND'));
  });

  it('that is very long is refused', async () => {
    const { status } = await service.request('GET', `/api/v1/${'x'.repeat(10_000)}`);
    expect(status).toBe(404);
  });
});

describe('a bad address', () => {
  it.each([
    '/api/v1/%',
    '/api/v1/%zz',
    '/api/v1/license/activations/%',
    '/api/v1/license/activations/%ff%fe',
    '/%c0%ae%c0%ae/',
  ])('is refused in the envelope: %s', async (path) => {
    for (const method of ['GET', 'DELETE']) {
      const request = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      const { status } = await sendRawToRoute(service.url, path, request);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    }
  });

  it.each(['http://127.0.0.1/api/v1/binary-hash', '//example.com/api/v1/binary-hash', '*', 'rubbish'])(
    'is no reason to fail: %s as the target of a request',
    async (target) => {
      const { status } = await sendRaw(service.url, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(status).toBeGreaterThanOrEqual(200);
      expect(status).toBeLessThan(500);
    },
  );

  it.each(['GET / HTTP/9.9\r\n\r\n', 'rubbish\r\n\r\n', 'GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n', '\r\n\r\n\r\n '])(
    'that is no HTTP, %j, ends in a refusal or a closed connection',
    async (bytes) => {
      const { status } = await sendRaw(service.url, bytes);
      expect(Number.isNaN(status) || (status >= 400 && status < 500)).toBe(true);
    },
  );

  it('with headers of more than the parser takes is 431', async () => {
    const request = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(service.url, request)).status).toBe(431);
  });
});

describe('a query', () => {
  it('is ignored', async () => {
    const path = `${apiRoot}/subscription/status?plan=advanced&a[]=1&__proto__[x]=1`;
    expect((await service.request('GET', path, { token: person.token })).status).toBe(200);
  });
});

describe('health', () => {
  it.each(['/healthz', '/readyz'])('is told at %s without authentication', async (path) => {
    expect((await service.request('GET', path)).status).toBe(200);
  });

  it.each(['/healthz', '/readyz'])('is refused to other methods at %s', async (path) => {
    expect((await service.request('POST', path)).status).toBe(405);
  });
});

describe('every answer', () => {
  // `request` holds each answer against the house rules; the cases here only choose a wide range of answers.
  it.each([
    ['200', () => service.call('subscriptionStatus', { token: person.token }), 200],
    ['400', () => service.call('login', { body: {} }), 400],
    ['401', () => service.call('subscriptionStatus'), 401],
    ['404', () => service.request('GET', '/api/v1/nothing'), 404],
    ['404 outside of the interface', () => service.request('GET', '/nothing'), 404],
    ['405', () => service.request('PUT', '/api/v1/auth/login'), 405],
    ['413', () => service.call('login', { body: 'x'.repeat(70_000) }), 413],
    ['415', () => service.call('login', { body: 'x', headers: { 'content-type': 'text/plain' } }), 415],
    ['/healthz', () => service.request('GET', '/healthz'), 200],
  ] as const)('carries its security headers and names no software: %s', async (_, ask, expected) => {
    const { status, headers } = await ask();
    expect(status).toBe(expected);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'/);
    expect([...headers.keys()]).not.toContain('x-powered-by');
    expect([...headers.keys()]).not.toContain('server');
  });

  it('of HEAD has the headers of GET and no body', async () => {
    const path = `${apiRoot}/binary-hash`;
    const request = `HEAD ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const { status, headers, text } = await sendRaw(service.url, request);
    expect([200, 404, 405]).toContain(status);
    expect(text).toBe('');
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

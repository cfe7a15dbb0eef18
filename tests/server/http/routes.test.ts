/** Paths and methods: what exists, what does not, and the headers that every response carries. */
import { beforeAll, describe, expect, it } from 'vitest';
import { apiRoot, type Endpoint, endpoints } from '../../../shared/api/endpoints.ts';
import { errorTable } from '../../../shared/api/errors.ts';
import { callEveryEndpoint } from '../../conformance/every-endpoint.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { signUp, type User } from '../../harness/users.ts';

const server = sharedApp();
const httpServer = sharedHttpServer();
let user: User;

beforeAll(async () => {
  user = await signUp(server);
});

const table: readonly Endpoint[] = Object.values(endpoints);
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const wrongMethods = table.flatMap(({ method, path }) =>
  methods
    .filter((other) => !table.some((each) => each.path === path && each.method === other))
    .map((other) => ({ other, method, path: apiRoot + path.replace(/:\w+/, 'x') })),
);

describe('the interface', () => {
  it('has its ten endpoints, with the specified methods and authentication', () => {
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

  it('maps each error code to its specified status', () => {
    const statuses = Object.fromEntries(Object.entries(errorTable).map(([code, { status }]) => [code, status]));
    expect(statuses).toMatchObject({
      VALIDATION_ERROR: 400,
      INVALID_CREDENTIALS: 401,
      INVALID_TOKEN: 401,
      TOKEN_EXPIRED: 401,
      USER_NOT_FOUND: 404,
      LICENSE_NOT_FOUND: 404,
      EMAIL_EXISTS: 409,
      SIGN_UP_CLOSED: 403,
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
  it.each(wrongMethods)('gets METHOD_NOT_ALLOWED with Allow: $other $path', async ({ other, method, path }) => {
    const { status, headers, body } = await server.request(other, path, { token: user.token });
    expect(status).toBe(405);
    expect(body).toStrictEqual(envelope('METHOD_NOT_ALLOWED'));
    const allowed = (headers.get('allow') ?? '').split(/,\s*/);
    expect(allowed).toContain(method);
    expect(allowed).not.toContain(other);
  });

  it('gets METHOD_NOT_ALLOWED whatever its body', async () => {
    for (const type of ['application/json', 'text/odd']) {
      const headers = { 'content-type': type };
      const { status, body } = await server.request('PUT', `${apiRoot}/auth/login`, { body: '{', headers });
      expect(status).toBe(405);
      expect(body).toStrictEqual(envelope('METHOD_NOT_ALLOWED'));
    }
  });

  it.each(['OPTIONS', 'HEAD', 'TRACE'])('gets METHOD_NOT_ALLOWED with Allow: %s', async (method) => {
    const { status, headers } = await server.request(method, `${apiRoot}/auth/login?x=1`);
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('POST');
  });
});

describe('an unknown path', () => {
  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v2/auth/login',
    '/api/v1/auth',
    '/api/v1/auth/login/more',
    '/api/v1/AUTH/LOGIN',
    '/api/v1/auth/LOGIN',
    '/api/v1/auth/login/',
    '/nowhere',
    '/api/v1/license/activations/a/b',
    '/api/v1//auth/login',
    '/favicon.ico',
    '/.env',
    '/api/v1/../../etc/passwd',
    '/api/v1/%2e%2e/%2e%2e/etc/passwd',
    '/api/v1/auth%2Flogin',
  ])('gets NOT_FOUND: %s', async (path) => {
    for (const method of ['GET', 'POST']) {
      const { status, body } = await server.request(method, path);
      expect(status, method).toBe(404);
      expect(body).toStrictEqual(envelope('NOT_FOUND'));
    }
  });

  it('gets NOT_FOUND whatever its body', async () => {
    for (const type of ['application/json', 'text/odd']) {
      const headers = { 'content-type': type };
      const { status, body } = await server.request('POST', '/api/v1/nothing', { body: '{', headers });
      expect(status).toBe(404);
      expect(body).toStrictEqual(envelope('NOT_FOUND'));
    }
  });

  it('that is very long gets NOT_FOUND', async () => {
    const { status } = await server.request('GET', `/api/v1/${'x'.repeat(10_000)}`);
    expect(status).toBe(404);
  });
});

describe('a path with broken percent-encoding', () => {
  it('gets VALIDATION_ERROR', async () => {
    const { status, body } = await server.request('GET', '/api/v1/%zz');
    expect(status).toBe(400);
    expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
  });
});

describe('a query', () => {
  it('is ignored', async () => {
    const path = `${apiRoot}/subscription/status?plan=advanced&a[]=1&__proto__[x]=1`;
    expect((await server.request('GET', path, { token: user.token })).status).toBe(200);
  });
});

describe('the health endpoint', () => {
  it.each(['/healthz', '/readyz'])('is at %s, without authentication', async (path) => {
    expect((await server.request('GET', path)).status).toBe(200);
  });

  it.each(['/healthz', '/readyz'])('accepts no other methods at %s', async (path) => {
    expect((await server.request('POST', path)).status).toBe(405);
  });
});

describe.each([
  ['injected', server],
  ['over HTTP', httpServer],
] as const)('every response %s', (_, on) => {
  // `request` checks each response against the rules; the tests here only provide a wide range of responses.
  it.each([
    ['404 of /binary-hash', () => on.call('installerHashes'), 404],
    ['400', () => on.call('login', { body: {} }), 400],
    ['401', () => on.call('subscriptionStatus'), 401],
    ['404', () => on.request('GET', '/api/v1/nothing'), 404],
    ['404 outside of the interface', () => on.request('GET', '/nothing'), 404],
    ['405', () => on.request('PUT', '/api/v1/auth/login'), 405],
    ['413', () => on.call('login', { body: 'x'.repeat(70_000) }), 413],
    ['415', () => on.call('login', { body: 'x', headers: { 'content-type': 'text/plain' } }), 415],
    ['/healthz', () => on.request('GET', '/healthz'), 200],
    ['/readyz', () => on.request('GET', '/readyz'), 200],
  ] as const)('has its security headers and does not name the software: %s', async (_status, send, expected) => {
    const { status, headers } = await send();
    expect(status).toBe(expected);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; base-uri 'none'/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect([...headers.keys()]).not.toContain('x-powered-by');
    expect([...headers.keys()]).not.toContain('server');
  });
});

describe.each([
  ['injected', server],
  ['over HTTP', httpServer],
] as const)('every endpoint %s', (_, on) => {
  it('returns exactly what the table specifies, from sign-up to sign-out', () => callEveryEndpoint(on));
});

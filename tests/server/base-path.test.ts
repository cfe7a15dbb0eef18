/**
 * A public URL with a path: everything is reachable below it, whether or not requests contain the path, and nothing
 * elsewhere.
 */
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../server/settings/config.ts';
import { Authenticator } from '../harness/authenticator.ts';
import { sharedHttpServer } from '../harness/http-server.ts';
import { sendRaw } from '../harness/raw-request.ts';
import { envelope } from '../harness/response-shapes.ts';
import { firstToken, fromPage, newStaff, StaffBrowser } from '../harness/staff.ts';
import { sharedApp, startTestApp, type TestApp } from '../harness/start-app.ts';
import { injectTransport, TestClient } from '../harness/test-client.ts';
import { goodPassword, signUp } from '../harness/users.ts';
import { startOidcProvider } from './oidc/server-with-provider.ts';

const publicUrl = 'https://example.com/latchkey';
const atHost = { host: 'example.com', origin: 'https://example.com' };

/** Returns the top-level routes, without the routes nested below them. */
function routesOf({ app }: TestApp): readonly string[] {
  const printed = app.printRoutes({ commonPrefix: false });
  return [...printed.matchAll(/^[├└]── (\/[\w./-]+)/gm)].map(([, path = '']) => path);
}

describe('LATCHKEY_PUBLIC_URL', () => {
  const read = (url: string) => readConfig({ LATCHKEY_PUBLIC_URL: url }).publicUrl?.href;

  it.each([
    ['https://example.com/latchkey', 'https://example.com/latchkey'],
    ['https://example.com/latchkey/', 'https://example.com/latchkey/'],
    ['https://example.com:8443/a-b/c_d~1.0', 'https://example.com:8443/a-b/c_d~1.0'],
    ['https://example.com/api/latchkey', 'https://example.com/api/latchkey'],
    ['https://example.com/...', 'https://example.com/...'],
    ['HTTPS://Example.com', 'https://example.com/'],
  ])('may be %s', (url, href) => {
    expect(read(url)).toBe(href);
  });

  it.each([
    'https://example.com/latchkey?',
    'https://example.com/latchkey?a=b',
    'https://example.com/latchkey#',
    'https://example.com?a=b',
    'https://user:secret@example.com/latchkey',
    'https://@example.com/latchkey',
    'https://example.com/a/../latchkey',
    'https://example.com/..',
    'https://example.com/./latchkey',
    'https://example.com/%2e%2e/latchkey',
    'https://example.com/a%2Flatchkey',
    'https://example.com/a%5clatchkey',
    'https://example.com\\latchkey',
    'https://example.com/a\\latchkey',
    'https://example.com//latchkey',
    'https://example.com/latchkey//',
    'https://example.com/lizenzschlüssel',
    'https://example.com/latch key',
    'https://example.com/latch;key',
    'https:///latchkey',
    'ftp://example.com/latchkey',
    // Paths that the server itself serves: it could not tell whether the proxy had removed the path.
    'https://example.com/admin',
    'https://example.com/api',
    'https://example.com/api/v1/',
    'https://example.com/api/v1/latchkey',
    'https://example.com/.well-known',
    // Addresses of a page or of the API.
    'https://example.com/latchkey/admin',
    'https://example.com/latchkey/api/v1',
  ])('cannot be %s', (url) => {
    expect(() => read(url)).toThrow(/^LATCHKEY_PUBLIC_URL is wrong: it must be an address such as/);
  });

  it('cannot have a path that begins like a route of the server', async () => {
    const server = await startTestApp({ LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1025' });
    const routes = routesOf(server);
    expect(routes).toEqual(expect.arrayContaining(['/admin', '/account', '/healthz', '/metrics', '/reset']));
    for (const route of routes) {
      expect(() => read(`https://example.com/${route.split('/')[1]}`), route).toThrow('LATCHKEY_PUBLIC_URL is wrong');
    }
  });
});

describe('a request over a socket', () => {
  const server = sharedHttpServer({ LATCHKEY_PUBLIC_URL: publicUrl });

  it.each([
    ['/latchkey/healthz', 200],
    ['http://example.com/latchkey/healthz', 200],
    ['http://example.com/healthz', 200],
    ['http://example.com/latchkeyhealthz', 404],
    ['http://example.com/other?/latchkey/healthz', 404],
    ['/latchkey', 404],
    ['http://example.com/latchkey', 404],
    ['/latchkey/../latchkey/healthz', 404],
    ['/latchkey//healthz', 404],
    ['/latchkey%2Fhealthz', 404],
    ['/latchkey/%zz', 400],
    ['/%zz/latchkey/healthz', 400],
  ])('with the target %s gets the status %d', async (target, status) => {
    const request = `GET ${target} HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n`;
    const response = await sendRaw(server.url, request);
    expect([response.status, response.text]).toEqual([
      status,
      expect.stringContaining(status === 200 ? 'ok' : '"code"'),
    ]);
  });
});

it('no page of the server contains an address relative to the root of the host', async () => {
  const server = await startTestApp({ LATCHKEY_PUBLIC_URL: publicUrl, LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1025' });
  const pages: string[] = [];
  for (const route of routesOf(server)) {
    const { statusCode, headers, body } = await server.app.inject(`/latchkey${route}`);
    if (statusCode !== 200 || !String(headers['content-type']).startsWith('text/html')) continue;
    pages.push(route);
    expect(body.match(/["'`=(]\/(?:api|admin|account|assets|confirm|reset)\b.*/g), route).toBeNull();
  }
  expect(pages).toEqual(expect.arrayContaining(['/api/docs', '/confirm', '/reset']));
});

/** The server behind a proxy that keeps the path, and behind one that removes it. */
describe.each([
  ['keeps', '/latchkey'],
  ['takes away', ''],
])('behind a proxy that %s the path', (_does, prefix) => {
  const server = sharedApp({ LATCHKEY_PUBLIC_URL: publicUrl });
  const below = () => {
    const inject = injectTransport(server.app);
    return new TestClient((method, path, options) =>
      inject(method, prefix + path, { ...options, headers: { ...atHost, ...options.headers } }),
    );
  };

  it.each([
    ['/healthz', 200],
    ['/readyz', 200],
    ['/.well-known/jwks.json', 200],
    ['/api/docs', 200],
    ['/api/v1/openapi.json', 200],
    ['/api/v1/features', 200],
    ['/api/v1/features?x=%2e', 200],
    ['/api/v1/subscription/status', 401],
    ['/metrics', 401],
  ])('%s is available', async (path, status) => {
    expect((await below().request('GET', path)).status).toBe(status);
  });

  it.each(['/admin', '/account'])('%s is available, if it has been built', async (path) => {
    const { status, body } = await below().request('GET', path);
    if (status !== 200) expect(body.error).toContain('has not been built');
  });

  it.each(['', '/', '?x', '/nothing', '/api/v1', '/other/admin', '/latchkey/latchkey/admin', '/Latchkey/admin'])(
    '%s gets a 404 from the API',
    async (path) => {
      const response = await server.app.inject(`${prefix}${path}`.replace(/^(?!\/)/, '/'));
      expect(response.statusCode).toBe(404);
      expect(response.json()).toStrictEqual(envelope('NOT_FOUND'));
    },
  );

  it('a known path with another method gets METHOD_NOT_ALLOWED', async () => {
    const response = await server.app.inject({ method: 'DELETE', url: `${prefix}/api/v1/auth/login` });
    expect(response.json()).toStrictEqual(envelope('METHOD_NOT_ALLOWED'));
    expect(response.headers.allow).toBe('POST');
  });

  it('a page with a trailing slash redirects to the page', async () => {
    const { statusCode, headers } = await server.app.inject(`${prefix}/admin/`);
    expect(statusCode).toBe(308);
    expect(new URL(String(headers.location), `${publicUrl}/admin/`).href).toBe(`${publicUrl}/admin`);
  });

  it('the staff cookie is only sent over TLS and below the path, as is the cookie that removes it', async () => {
    const { email } = await newStaff(server, 'owner');
    const browser = new StaffBrowser(below());
    const set = (await browser.signIn(email)).headers.get('set-cookie');
    expect(set).toMatch(
      /^__Secure-latchkey_staff=[\w-]{43}; Max-Age=43200; Path=\/latchkey; HttpOnly; Secure; SameSite=Strict$/,
    );
    const { cookie } = browser;
    await browser.expectOk('staffSession');
    for (const other of ['__Host-', '']) {
      browser.cookie = cookie.replace('__Secure-', other);
      expect((await browser.call('staffSession')).status).toBe(401);
    }
    browser.cookie = cookie;
    const removed = (await browser.call('staffSignOut')).headers.get('set-cookie');
    expect(removed).toBe('__Secure-latchkey_staff=; Max-Age=0; Path=/latchkey; HttpOnly; Secure; SameSite=Strict');
  });

  it('the cookie of the account page is also only sent over TLS and below the path', async () => {
    const { email } = await signUp(server);
    const signIn = (headers: object) =>
      below().call('accountSignIn', { body: { email, password: goodPassword }, headers: { ...headers } });
    const { headers } = await signIn(fromPage);
    const set = headers.get('set-cookie') ?? '';
    expect(set).toMatch(/^__Secure-latchkey_account=.*; Path=\/latchkey; HttpOnly; Secure; SameSite=Strict$/);
    const cookie = set.split(';')[0] ?? '';
    expect((await below().call('accountSession', { headers: { cookie } })).status).toBe(200);
    expect((await signIn({ origin: 'https://other.example' })).body).toStrictEqual(envelope('FORBIDDEN'));
    expect((await signIn({})).status).toBe(200);
  });

  it('passkeys are bound to the host', async () => {
    const { email } = await newStaff(server, 'viewer');
    const browser = new StaffBrowser(below());
    await browser.signIn(email);
    const authenticator = new Authenticator({ origin: 'https://example.com' });
    const { options } = await browser.expectOk('addPasskeyOptions');
    expect(options).toMatchObject({ rp: { id: 'example.com' } });
    const credential = authenticator.register(options as Readonly<Record<string, unknown>>);
    await browser.expectOk('addPasskey', { body: { name: 'Laptop', credential } });
    const assertion = await browser.expectOk('staffPasskeyOptions');
    const signedIn = authenticator.authenticate(assertion.options as Readonly<Record<string, unknown>>);
    await browser.expectOk('staffPasskeySignIn', { body: { credential: signedIn } });
  });

  it('links to the admin page and the API documents contain the path', async () => {
    const owner = (await newStaff(server, 'owner')).email;
    const browser = new StaffBrowser(below());
    await browser.signIn(owner);
    const { email } = await signUp(server);
    const { link } = await browser.expectOk('addStaff', { body: { email, role: 'viewer' } });
    expect(link).toMatchObject({
      url: expect.stringMatching(/^https:\/\/example\.com\/latchkey\/admin#\/welcome\?token=/),
    });
    for (const name of ['openapi.json', 'admin/openapi.json']) {
      const { body } = await below().request('GET', `/api/v1/${name}`);
      expect(body).toMatchObject({ servers: [{ url: '/latchkey/api/v1' }] });
    }
    expect((await below().request('GET', '/api/docs')).text).toContain('<code>/latchkey/api/v1</code>');
  });

  it('the link for the first administrator works', async () => {
    const fresh = await startTestApp({ LATCHKEY_PUBLIC_URL: publicUrl });
    const token = await firstToken(fresh);
    const body = { token, email: 'grace@example.com', password: goodPassword };
    const response = await fresh.app.inject({
      method: 'POST',
      url: `${prefix}/api/v1/admin/welcome`,
      headers: { ...atHost, ...fromPage, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
    expect(response.statusCode, response.body).toBe(200);
  });
});

it('the identity provider redirects browsers to an address below the path', async () => {
  const callbackUrl = `${publicUrl}/admin/oidc/callback`;
  const provider = await startOidcProvider({ callbackUrl });
  const server = await startTestApp({ ...provider.settings, LATCHKEY_PUBLIC_URL: `${publicUrl}/` });
  const headers = { ...fromPage, host: 'example.com' };
  const { body, headers: received } = await server.call('startSingleSignOn', { headers });
  expect(new URL(String(body.url)).searchParams.get('redirect_uri')).toBe(callbackUrl);
  expect(received.get('set-cookie')).toMatch(/^__Secure-latchkey_sign_in=.*; Path=\/latchkey; /);
  const returned = await server.app.inject({ url: '/latchkey/admin/oidc/callback?state=x&code=y', headers });
  expect(returned.statusCode).toBe(303);
  const location = new URL(String(returned.headers.location), `${callbackUrl}?state=x&code=y`);
  expect(location.origin + location.pathname).toBe(`${publicUrl}/admin`);
});

it('without a path, nothing is available below one, and cookies are bound to the host', async () => {
  const server = await startTestApp({ LATCHKEY_PUBLIC_URL: 'https://example.com/' });
  expect((await server.app.inject('/latchkey/healthz')).json()).toStrictEqual(envelope('NOT_FOUND'));
  const { email } = await newStaff(server, 'owner');
  const response = await server.call('staffSignIn', {
    body: { email, password: goodPassword },
    headers: { ...fromPage, host: 'example.com' },
  });
  expect(response.headers.get('set-cookie')).toMatch(/^__Host-latchkey_staff=.*; Path=\/; /);
});

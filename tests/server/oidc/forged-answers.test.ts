/**
 * Responses that an identity provider, or somebody impersonating it, could send: anything but a valid token is refused
 * and changes nothing.
 */
import { createHmac } from 'node:crypto';
import { generateKeyPair } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorLogIntervalMs } from '../../../server/http/error-log.ts';
import { IdentityProvider } from '../../../server/oidc/identity-provider.ts';
import { SignInAttempts } from '../../../server/oidc/sign-in-attempt.ts';
import { readConfig } from '../../../server/settings/config.ts';
import { systemRandom } from '../../../server/system-random.ts';
import { createFakeClock, minute } from '../../harness/fake-clock.ts';
import { fixedSecrets } from '../../harness/fixed-secrets.ts';
import { type ForgedProvider, goodClaims, openForgedProvider } from '../../harness/forged-provider.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { SingleSignOnBrowser } from '../../harness/single-sign-on.ts';
import { startApp, type TestApp } from '../../harness/start-app.ts';
import { removeFolder } from '../../harness/temporary-folder.ts';
import { startForgedProvider, startWithProvider } from './server-with-provider.ts';

async function start() {
  const provider = await startForgedProvider();
  const server = await startWithProvider(provider.settings);
  const browser = new SingleSignOnBrowser(server);
  /** Signs in with the prepared response of the provider. */
  const signIn = async (changes: Readonly<Record<string, string>> = {}) =>
    (await browser.return(provider.answer(await browser.start(), changes)))?.result;
  return { provider, server, browser, signIn };
}

/** Returns the reasons in the audit log of the refused sign-ins. */
async function refusalReasons({ services }: TestApp): Promise<unknown[]> {
  const { rows } = await services.auditList.readPage({ action: 'staff.sign_in_refused' }, { limit: 10 });
  return rows.map(({ details }) => details.reason);
}

const toBase64Url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const sign = (text: string) => createHmac('sha256', 'a secret').update(text).digest('base64url');
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** What the provider forges, the problem that the browser gets, and the reason in the log. */
const forgeries: readonly (readonly [string, (provider: ForgedProvider) => unknown, string, RegExp])[] = [
  ['another issuer', (p) => (p.claims = { iss: 'https://evil.example' }), 'SSO_UNTRUSTED', /"iss"/],
  ['another audience', (p) => (p.claims = { aud: 'another-client' }), 'SSO_UNTRUSTED', /"aud"/],
  [
    'several audiences and no authorized party',
    (p) => (p.claims = { aud: ['latchkey', 'other'] }),
    'SSO_UNTRUSTED',
    /untrusted audiences/,
  ],
  ['another nonce', (p) => (p.claims = { nonce: 'of another sign-in' }), 'SSO_UNTRUSTED', /"nonce"/],
  ['no nonce', (p) => (p.claims = { nonce: undefined }), 'SSO_UNTRUSTED', /"nonce"/],
  ['a token that has expired', (p) => (p.claims = { exp: nowSeconds() - 60 }), 'SSO_UNTRUSTED', /"exp"/],
  ['no expiry', (p) => (p.claims = { exp: undefined }), 'SSO_UNTRUSTED', /"exp"/],
  ['no subject', (p) => (p.claims = { sub: undefined }), 'SSO_UNTRUSTED', /"sub"/],
  [
    'an address that is not verified',
    (p) => (p.claims = { email_verified: false }),
    'SSO_UNVERIFIED_EMAIL',
    /verified/,
  ],
  [
    'a word in place of the verification',
    (p) => (p.claims = { email_verified: 'true' }),
    'SSO_UNVERIFIED_EMAIL',
    /verified/,
  ],
  ['no verification', (p) => (p.claims = { email_verified: undefined }), 'SSO_UNVERIFIED_EMAIL', /verified/],
  ['no address', (p) => (p.claims = { email: undefined }), 'SSO_UNVERIFIED_EMAIL', /verified/],
  ['an address that is none', (p) => (p.claims = { email: 'grace' }), 'SSO_UNVERIFIED_EMAIL', /verified/],
  ['no groups', (p) => (p.claims = { groups: undefined }), 'SSO_NO_ROLE', /no group/],
  ['groups without a role', (p) => (p.claims = { groups: ['Admins', 'staff'] }), 'SSO_NO_ROLE', /no group/],
  [
    'groups that are no names',
    (p) => (p.claims = { groups: [{ name: 'admins' }, 7, null] }),
    'SSO_NO_ROLE',
    /no group/,
  ],
];

/** One server for all refused responses: nobody signs in, so nothing is left for the next case. */
describe('a provider that answers with', () => {
  let provider: ForgedProvider;
  let server: TestApp;
  beforeAll(async () => {
    provider = await openForgedProvider();
    server = await startApp(provider.settings, { clock: createFakeClock(Date.now()) });
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
    removeFolder(server.dataFolder);
  });

  it.each(forgeries)('%s signs nobody in', async (_title, forge, problem, reason) => {
    const browser = new SingleSignOnBrowser(server);
    provider.claims = {};
    forge(provider);
    // Failures of one kind are logged only once per interval.
    server.clock.advance(errorLogIntervalMs);
    const outcome = await browser.return(provider.answer(await browser.start()));
    expect(outcome?.result).toBe(problem);
    expect(browser.cookies.has('latchkey_staff')).toBe(false);
    expect(await server.services.staffAdmin.list()).toStrictEqual([]);
    expect(await server.services.accounts.findByEmail('grace@lab.example')).toBeUndefined();
    const logged = server
      .logText()
      .split('\n')
      .findLast((line) => line.includes('single sign-on'));
    expect(JSON.parse(logged ?? '')).toMatchObject({ err: { message: expect.stringMatching(reason) } });
  });
});

describe('a provider that answers with', () => {
  it('good tokens signs in, and proves that it issued the code', async () => {
    const { provider, server, browser, signIn } = await start();
    expect(await signIn()).toBe('signed_in');
    expect(await browser.expectOk('staffSession')).toMatchObject({
      staff: { email: 'grace@lab.example', role: 'owner' },
    });
    expect(provider.lastTokenRequest().get('code_verifier')).toMatch(/^[\w-]{43}$/);
    expect(provider.lastTokenRequest().get('redirect_uri')).toBe('http://localhost/admin/oidc/callback');
    for (const secret of ['code', 'code_verifier']) {
      expect(server.logText()).not.toContain(provider.lastTokenRequest().get(secret));
    }
    expect(server.logText()).not.toContain('an-access-token');
  });

  it('a signature with another key signs nobody in', async () => {
    const { provider, server, signIn } = await start();
    provider.key = (await generateKeyPair('RS256')).privateKey;
    expect(await signIn()).toBe('SSO_UNTRUSTED');
    expect(await server.services.staffAdmin.list()).toStrictEqual([]);
  });

  it.each([
    ['that nobody signed', 'none', () => ''],
    ['signed with the secret of the client', 'HS256', sign],
  ])('a token %s signs nobody in', async (_title, alg, signWith) => {
    const { provider, server, browser } = await start();
    const url = await browser.start();
    const claims = { ...goodClaims(provider.issuer, url.searchParams.get('nonce') ?? '') };
    const unsigned = `${toBase64Url({ alg, kid: 'forged' })}.${toBase64Url(claims)}`;
    const body = { access_token: 'x', token_type: 'Bearer', id_token: `${unsigned}.${signWith(unsigned)}` };
    provider.tokenResponse = { status: 200, body: JSON.stringify(body) };
    expect((await browser.return(provider.answer(url)))?.result).toBe('SSO_UNTRUSTED');
    expect(await server.services.staffAdmin.list()).toStrictEqual([]);
  });

  it('a token that has expired by the server’s clock signs nobody in', async () => {
    const { server, signIn } = await start();
    server.clock.advance(6 * minute);
    expect(await signIn()).toBe('SSO_UNTRUSTED');
    server.clock.advance(-6 * minute);
    expect(await signIn()).toBe('signed_in');
  });

  it('another state or issuer signs nobody in', async () => {
    const { provider, signIn } = await start();
    expect(await signIn({ state: 'of another sign-in' })).toBe('SSO_EXPIRED');
    expect(await signIn({ iss: 'https://evil.example' })).toBe('SSO_UNTRUSTED');
    provider.metadata = { authorization_response_iss_parameter_supported: true };
    expect(await signIn()).toBe('signed_in');
  });
});

describe('a provider', () => {
  it.each([
    ['refuses the code', { status: 400, body: '{"error":"invalid_grant"}' }, 'SSO_EXPIRED'],
    ['refuses the secret', { status: 401, body: '{"error":"invalid_client"}' }, 'SSO_REFUSED'],
    ['fails', { status: 500, body: '{"error":"server_error"}' }, 'SSO_UNAVAILABLE'],
    ['shows a page of its proxy', { status: 502, body: '<html>' }, 'SSO_UNAVAILABLE'],
    ['answers with what is not JSON', { status: 200, body: 'ok' }, 'SSO_UNAVAILABLE'],
    ['sends no ID token', { status: 200, body: '{"access_token":"x","token_type":"Bearer"}' }, 'SSO_UNTRUSTED'],
  ])('that %s signs nobody in, and the reason is reported', async (_title, response, problem) => {
    const { provider, server, signIn } = await start();
    provider.tokenResponse = response;
    expect(await signIn()).toBe(problem);
    expect(await server.services.staffAdmin.list()).toStrictEqual([]);
  });

  it.each([
    ['access_denied', 'SSO_CANCELED'],
    ['login_required', 'SSO_REFUSED'],
    ['temporarily_unavailable', 'SSO_UNAVAILABLE'],
  ])('whose answer is the error %s signs nobody in', async (error, problem) => {
    const { server, signIn } = await start();
    expect(await signIn({ error })).toBe(problem);
    await expect.poll(() => refusalReasons(server)).toStrictEqual([error]);
  });

  it.each(['the owner has approved this sign-in', 'constructor'])(
    'cannot be impersonated to write %j to the audit log',
    async (error) => {
      const { server, signIn } = await start();
      expect(await signIn({ error })).toBe('SSO_REFUSED');
      await expect.poll(() => refusalReasons(server)).toStrictEqual(['the browser brought back an unknown error code']);
    },
  );

  const endpoints = ['/.well-known/openid-configuration', '/token', '/jwks', '/userinfo'];

  /** Signs in without groups in the token, so that the userinfo endpoint is called too. */
  async function signInDirectly(provider: ForgedProvider, requestTimeoutMs?: number) {
    const { oidc } = readConfig(provider.settings);
    if (!oidc) throw new Error('no provider is configured');
    const clock = createFakeClock(Date.now());
    const attempts = new SignInAttempts({ clock, random: systemRandom, secrets: fixedSecrets });
    const callbackUrl = 'http://localhost/admin/oidc/callback';
    const attempt = attempts.create({ purpose: { kind: 'sign_in' }, callbackUrl, isNewWindow: false });
    const asked = new IdentityProvider({ clock, oidc, ...(requestTimeoutMs !== undefined && { requestTimeoutMs }) });
    provider.claims = { groups: undefined };
    const url = new URL(await asked.authorizationUrl(attempt));
    return asked.redeem(attempt, provider.answer(url).searchParams);
  }

  it.each(endpoints)('times out if its %s never answers', async (path) => {
    const provider = await startForgedProvider();
    provider.silent = [path];
    await expect(signInDirectly(provider, 200)).rejects.toMatchObject({
      problem: 'SSO_UNAVAILABLE',
      message: expect.stringContaining('timed out'),
    });
  });

  it.each(endpoints)('cannot fill the memory with a response of its %s', async (path) => {
    const provider = await startForgedProvider();
    provider.endless = [path];
    await expect(signInDirectly(provider)).rejects.toMatchObject({ problem: 'SSO_UNAVAILABLE' });
    expect(provider.sentMegabytes()).toBeLessThan(50);
  });

  it.each([
    ['names another issuer than the setting', { issuer: 'https://evil.example' }],
    ['does not say where to sign in', { authorization_endpoint: undefined }],
    ['would run a script in the page', { authorization_endpoint: 'javascript:alert(1)' }],
    ['describes itself in nonsense', { issuer: 7 }],
  ])('that %s is not used at all', async (_title, metadata) => {
    const { provider, browser } = await start();
    provider.metadata = metadata;
    expect((await browser.call('startSingleSignOn')).body).toStrictEqual(envelope('SERVICE_UNAVAILABLE'));
  });

  it('has its metadata fetched again after a minute, but not before', async () => {
    const { provider, server, browser } = await start();
    const endpoint = async () => (await browser.start()).pathname;
    expect(await endpoint()).toBe('/authorize');
    provider.metadata = { authorization_endpoint: `${provider.issuer}/moved` };
    expect(await endpoint()).toBe('/authorize');
    server.clock.advance(minute);
    expect(await endpoint()).toBe('/moved');
  });

  it('may provide the address and the groups only at its userinfo endpoint', async () => {
    const { provider, browser, signIn } = await start();
    provider.claims = { email: undefined, email_verified: undefined, groups: undefined };
    provider.userinfo = { email: 'ada@lab.example', email_verified: true, groups: 'helpdesk' };
    expect(await signIn()).toBe('signed_in');
    expect(await browser.expectOk('staffSession')).toMatchObject({
      staff: { email: 'ada@lab.example', role: 'support' },
    });
  });

  it('cannot verify an address at its userinfo endpoint other than the one it returns there', async () => {
    const { provider, browser, signIn } = await start();
    provider.claims = { email: 'boss@lab.example', email_verified: undefined };
    provider.userinfo = { email: 'ada@lab.example', email_verified: true };
    expect(await signIn()).toBe('signed_in');
    expect(await browser.expectOk('staffSession')).toMatchObject({ staff: { email: 'ada@lab.example' } });
  });

  it('cannot return another person at its userinfo endpoint', async () => {
    const { provider, signIn } = await start();
    provider.claims = { groups: undefined };
    provider.userinfo = { sub: 'somebody else', groups: ['admins'] };
    expect(await signIn()).toBe('SSO_UNTRUSTED');
  });

  it('is asked for the groups scope only if it supports it', async () => {
    const { provider, server, browser } = await start();
    const scope = async () => (await browser.start()).searchParams.get('scope');
    expect(await scope()).toBe('openid email');
    provider.metadata = { scopes_supported: ['openid', 'email', 'groups'] };
    server.clock.advance(minute);
    expect(await scope()).toBe('openid email groups');
  });
});

describe('a confirmation', () => {
  it.each([
    ['says nothing of when the member signed in', undefined, 'SSO_NOT_CONFIRMED'],
    ['names a sign-in of this morning', 4 * 3600, 'SSO_NOT_CONFIRMED'],
    ['names a sign-in of just now', 0, 'confirmed'],
  ])('is accepted only for a recent sign-in: the provider %s', async (_title, secondsAgo, result) => {
    const { provider, browser, signIn } = await start();
    await signIn();
    const url = await browser.start('confirmBySingleSignOn');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      prompt: 'login',
      max_age: '0',
      login_hint: 'grace@lab.example',
    });
    provider.claims = { auth_time: secondsAgo === undefined ? undefined : nowSeconds() - secondsAgo };
    expect(await browser.return(provider.answer(url))).toStrictEqual({ result, isNewWindow: true });
  });
});

/**
 * An identity provider that responds with any tokens that a test forges. Nobody signs in there: the test
 * itself plays the returning browser.
 */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { Settings } from './environment.ts';
import { freePort } from './free-port.ts';
import { oidcRoles } from './oidc-provider.ts';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export type ForgedProvider = {
  readonly issuer: string;
  readonly settings: Settings;
  /** Claims of the next ID token that replace the valid ones; undefined ones are omitted. */
  claims: Readonly<Record<string, unknown>>;
  /** Metadata of the provider that replaces the true values. */
  metadata: Readonly<Record<string, unknown>>;
  /** Key that signs the next ID token, instead of the published one. */
  key: KeyPair['privateKey'];
  /** Next response of the token endpoint, instead of one with an ID token. */
  tokenResponse: { readonly status: number; readonly body: string } | undefined;
  /** Response of the userinfo endpoint. */
  userinfo: Readonly<Record<string, unknown>>;
  /** Paths that never respond. */
  silent: readonly string[];
  /** Paths whose responses are hundreds of megabytes long. */
  endless: readonly string[];
  /** Returns how much of such responses was sent, in MB. */
  readonly sentMegabytes: () => number;
  /** Returns the last request to the token endpoint. */
  readonly lastTokenRequest: () => URLSearchParams;
  /** Returns the provider's response to this request of the server, as the URL that the browser brings back. */
  readonly answer: (start: URL, changes?: Readonly<Record<string, string>>) => URL;
  readonly stop: () => Promise<void>;
};

const keyId = 'forged';

/** Starts the provider. The caller stops it. */
export async function openForgedProvider(): Promise<ForgedProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const published = await generateKeyPair('RS256', { extractable: true });
  const jwk = { ...(await exportJWK(published.publicKey)), kid: keyId, alg: 'RS256', use: 'sig' };
  const nonces = new Map<string, string>();
  let tokenRequest = new URLSearchParams();
  let sentMegabytes = 0;
  const sendEndless = function* () {
    for (const megabyte = Buffer.alloc(1_000_000, ' '); sentMegabytes < 300; sentMegabytes++) yield megabyte;
  };
  const provider: Omit<ForgedProvider, 'stop'> = {
    issuer,
    settings: {
      LATCHKEY_OIDC_ISSUER: issuer,
      LATCHKEY_OIDC_CLIENT_ID: 'latchkey',
      LATCHKEY_OIDC_CLIENT_SECRET: 'a secret',
      LATCHKEY_OIDC_ROLES: oidcRoles,
    },
    claims: {},
    metadata: {},
    key: published.privateKey,
    tokenResponse: undefined,
    userinfo: {},
    silent: [],
    endless: [],
    sentMegabytes: () => sentMegabytes,
    lastTokenRequest: () => tokenRequest,
    answer: (start, changes = {}) => {
      const code = `forged-code-${nonces.size}`;
      nonces.set(code, start.searchParams.get('nonce') ?? '');
      const url = new URL(start.searchParams.get('redirect_uri') ?? '');
      const given = { code, state: start.searchParams.get('state') ?? '', ...changes };
      for (const [name, value] of Object.entries(given)) url.searchParams.set(name, value);
      return url;
    },
  };
  const respond: Readonly<Record<string, (body: string) => Promise<string> | string>> = {
    '/.well-known/openid-configuration': () =>
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256'],
        ...provider.metadata,
      }),
    '/jwks': () => JSON.stringify({ keys: [jwk] }),
    '/userinfo': () => JSON.stringify({ sub: 'grace', ...provider.userinfo }),
    '/token': async (body) => {
      tokenRequest = new URLSearchParams(body);
      const nonce = nonces.get(tokenRequest.get('code') ?? '') ?? '';
      const id_token = await sign({ ...goodClaims(issuer, nonce), ...provider.claims }, provider.key);
      return JSON.stringify({ access_token: 'an-access-token', token_type: 'Bearer', id_token });
    },
  };
  const server = createServer(async (request, response) => {
    const path = request.url?.split('?')[0] ?? '';
    const body = (await request.setEncoding('utf8').toArray()).join('');
    if (provider.silent.includes(path)) return;
    const forged = path === '/token' ? provider.tokenResponse : undefined;
    response.setHeader('content-type', 'application/json');
    if (provider.endless.includes(path)) return void Readable.from(sendEndless()).pipe(response);
    response.statusCode = forged?.status ?? (path in respond ? 200 : 404);
    response.end(forged?.body ?? (await respond[path]?.(body)));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return Object.assign(provider, { stop });
}

/** Returns valid ID token claims for the only person that this provider knows. */
export function goodClaims(issuer: string, nonce: string): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  const person = { email: 'grace@lab.example', email_verified: true, groups: ['admins'] };
  return { iss: issuer, aud: 'latchkey', sub: 'grace', iat: now, exp: now + 300, auth_time: now, nonce, ...person };
}

function sign(claims: JWTPayload, key: KeyPair['privateKey']): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: keyId }).sign(key);
}

/** A real identity provider (OpenID Connect) on loopback, with one person at a time. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Provider, { type Adapter, type AdapterPayload, type Configuration } from 'oidc-provider';
import type { Settings } from './environment.ts';
import { freePort } from './free-port.ts';

export type Person = {
  readonly email: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[] | string;
};

export type OidcProvider = {
  readonly issuer: string;
  /** Settings that the server needs for this provider. */
  readonly settings: Settings;
  /** Sets who signs in from now on, with or without the provider's page; returns the same person. */
  readonly letIn: (person: Person) => Person;
  /** Received requests, such as `POST /token`. */
  readonly requests: readonly string[];
  /** Stops the provider, which can be started again. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
};

export type OidcProviderOptions = {
  /** Address that receives returning browsers. */
  readonly callbackUrl?: string;
  /** Shows a button instead of signing in automatically. */
  readonly hasPage?: boolean;
  /** Puts all claims into the ID token. */
  readonly hasThickTokens?: boolean;
};

const client = { id: 'latchkey', secret: 'a secret of the client: + / %' };

export const oidcRoles = 'admins=owner,helpdesk=support,readers=viewer';

/** Starts the provider. The caller stops it. */
export async function openOidcProvider({
  callbackUrl = 'http://localhost/admin/oidc/callback',
  hasPage = false,
  hasThickTokens = false,
}: OidcProviderOptions = {}): Promise<OidcProvider> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const requests: string[] = [];
  let person: Person = { email: 'nobody@lab.example' };
  const running = {
    issuer,
    requests,
    letIn: (next: Person) => {
      person = next;
      return person;
    },
    settings: {
      LATCHKEY_OIDC_ISSUER: issuer,
      LATCHKEY_OIDC_CLIENT_ID: client.id,
      LATCHKEY_OIDC_CLIENT_SECRET: client.secret,
      LATCHKEY_OIDC_ROLES: oidcRoles,
    },
  };
  const provider = new Provider(issuer, {
    ...createConfiguration(callbackUrl, hasThickTokens),
    // The claims are those of the last person who signed in: a test has only one browser at a time.
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...person }),
    }),
  });
  const signIn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (hasPage && request.method === 'GET') return sendPage(response, person.email);
    const login = { accountId: person.email };
    await provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
  };
  const respond = provider.callback();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    if (request.url?.startsWith('/interaction/')) void signIn(request, response);
    else void respond(request, response);
  });
  const start = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  await start();
  return Object.assign(running, { start, stop });
}

const signingKey = {
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  alg: 'RS256',
  use: 'sig',
};

/** The provider's default adapter prints a warning at each start. */
class MemoryAdapter implements Adapter {
  readonly #rows = new Map<string, AdapterPayload>();

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.#rows.set(id, payload);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.#rows.get(id);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('uid', uid);
  }

  async findByUserCode(code: string): Promise<AdapterPayload | undefined> {
    return this.#findBy('userCode', code);
  }

  async consume(id: string): Promise<void> {
    const row = this.#rows.get(id);
    if (row) row.consumed = true;
  }

  async destroy(id: string): Promise<void> {
    this.#rows.delete(id);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [id, row] of this.#rows) if (row.grantId === grantId) this.#rows.delete(id);
  }

  #findBy(name: 'uid' | 'userCode', value: string): AdapterPayload | undefined {
    return [...this.#rows.values()].find((row) => row[name] === value);
  }
}

function createConfiguration(callbackUrl: string, hasThickTokens: boolean): Configuration {
  return {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [callbackUrl],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    scopes: ['openid', 'email', 'groups'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    conformIdTokenClaims: !hasThickTokens,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [signingKey] },
    adapter: MemoryAdapter,
    cookies: { keys: ['of the provider'] },
    ttl: { Interaction: 600, Session: 3600, Grant: 3600, IdToken: 600, AccessToken: 600 },
    // Skips the question whether the license server may know the person's address.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email groups');
      await grant.save();
      return grant;
    },
  };
}

function sendPage(response: ServerResponse, email: string): void {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><title>Provider</title><form method="post"><button>Sign in as ${email}</button></form>`);
}

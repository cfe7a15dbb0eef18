/** The operator's identity provider (OpenID Connect): where browsers are sent to sign in, and who signed in there. */
import type { Configuration, ServerMetadata } from 'openid-client';
import type { Clock } from '../clock.ts';
import { isLoopback } from '../loopback.ts';
import type { OidcConfig } from '../settings/config.ts';
import { type Claims, isComplete } from './identity.rules.ts';
import { SingleSignOnRefused, toRefusal } from './provider-errors.ts';
import type { SignInAttempt } from './sign-in-attempt.ts';

/** The person who signed in, as described by the provider. */
export type Identity = {
  /** Claims of the ID token, then those of the userinfo endpoint if it was needed. */
  readonly sources: readonly Claims[];
  /** Time of the sign-in at the provider; `undefined` if it does not say. */
  readonly authenticatedAtMs: number | undefined;
};

type IdentityProviderDeps = {
  readonly clock: Clock;
  readonly oidc: OidcConfig;
  /** Time limit for a response of the provider, in ms. */
  readonly requestTimeoutMs?: number;
};

const defaultRequestTimeoutMs = 5_000;
/** Time limit for all provider calls of one browser request, in ms; the request itself may take ten seconds. */
const exchangeTimeoutMs = 8_000;
/** Far more than a provider has to say: metadata, keys and tokens take a few kilobytes each. */
const maxResponseBytes = 1024 * 1024;
/** How long the provider's metadata is cached. Short, so that an unreachable provider is noticed here. */
const metadataMaxAgeMs = 60_000;
/** How far the clocks of the provider and the server may differ. */
export const clockToleranceMs = 30_000;

/** Loaded on demand: only a server with a provider needs it. */
const loadLibrary = () => import('openid-client');
type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** Each method throws `SingleSignOnRefused`. */
export class IdentityProvider {
  readonly #deps: IdentityProviderDeps;
  #known: { readonly metadata: ServerMetadata; readonly atMs: number } | undefined;
  #discovery: Promise<ServerMetadata> | undefined;

  constructor(deps: IdentityProviderDeps) {
    this.#deps = deps;
  }

  /** The URL to send the browser to. To confirm, the person has to sign in at the provider again, as this member. */
  async authorizationUrl({ purpose, ...attempt }: SignInAttempt, email?: string): Promise<string> {
    const { library, configuration, metadata } = await this.#connect();
    try {
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: attempt.callbackUrl,
        scope: this.#scopes(metadata).join(' '),
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(attempt.codeVerifier),
        code_challenge_method: 'S256',
        ...(purpose.kind === 'confirm' && { prompt: 'login', max_age: '0' }),
        ...(email !== undefined && { login_hint: email }),
      });
      if (url.protocol === 'https:' || (url.protocol === 'http:' && this.#isLocal)) return url.href;
    } catch (error) {
      throw toRefusal(error);
    }
    throw new SingleSignOnRefused('SSO_UNTRUSTED', 'the authorization endpoint of the provider does not use HTTPS');
  }

  /** Returns who signed in, from the parameters that the browser brings back from the provider. */
  async redeem(attempt: SignInAttempt, answer: URLSearchParams): Promise<Identity> {
    const { library, configuration, metadata } = await this.#connect();
    const { state, nonce, codeVerifier, callbackUrl } = attempt;
    try {
      const tokens = await library.authorizationCodeGrant(configuration, new URL(`${callbackUrl}?${answer}`), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new SingleSignOnRefused('SSO_UNTRUSTED', 'the provider sent no ID token');
      const isEnough = isComplete(claims, this.#deps.oidc.claim) || metadata.userinfo_endpoint === undefined;
      const more = isEnough ? [] : [await library.fetchUserInfo(configuration, tokens.access_token, claims.sub)];
      const { auth_time: seconds } = claims;
      return {
        sources: [claims, ...more],
        authenticatedAtMs: typeof seconds === 'number' ? seconds * 1000 : undefined,
      };
    } catch (error) {
      throw toRefusal(error);
    }
  }

  /**
   * Requests the scope of the groups claim only if supported: some providers reject unknown scopes, others send groups
   * only on request.
   */
  #scopes({ scopes_supported: supported = [] }: ServerMetadata): string[] {
    const { claim } = this.#deps.oidc;
    return ['openid', 'email', ...(supported.includes(claim) ? [claim] : [])];
  }

  /** Times are checked against the server's clock, and all requests to the provider from here on share one deadline. */
  async #connect(): Promise<{ library: Library; configuration: Configuration; metadata: ServerMetadata }> {
    const { clock, oidc } = this.#deps;
    const library = await loadLibrary();
    const deadline = AbortSignal.timeout(exchangeTimeoutMs);
    const metadata = await this.#readMetadata(library);
    const client = {
      client_secret: oidc.clientSecret,
      [library.clockSkew]: (clock.now() - Date.now()) / 1000,
      [library.clockTolerance]: clockToleranceMs / 1000,
    };
    const authentication = chooseAuthentication(library, metadata, oidc.clientSecret);
    const configuration = new library.Configuration(metadata, oidc.clientId, client, authentication);
    configuration.timeout = this.#timeoutSeconds;
    configuration[library.customFetch] = (url, { signal, ...options }) => {
      const signals = signal ? [deadline, signal] : [deadline];
      return fetchLimited(url, { ...options, signal: AbortSignal.any(signals) } as RequestInit);
    };
    // Verifies the signature of ID tokens even though they come directly from the provider.
    library.enableNonRepudiationChecks(configuration);
    if (this.#isLocal) library.allowInsecureRequests(configuration);
    return { library, configuration, metadata };
  }

  /** Reads the metadata; simultaneous requests share one discovery. */
  async #readMetadata(library: Library): Promise<ServerMetadata> {
    const known = this.#known;
    if (known && this.#deps.clock.monotonic() - known.atMs < metadataMaxAgeMs) return known.metadata;
    this.#discovery ??= this.#discover(library).finally(() => {
      this.#discovery = undefined;
    });
    return this.#discovery;
  }

  async #discover(library: Library): Promise<ServerMetadata> {
    const { clock, oidc } = this.#deps;
    const issuer = new URL(oidc.issuer);
    try {
      const { clientId, clientSecret } = oidc;
      const found = await library.discovery(issuer, clientId, clientSecret, undefined, {
        timeout: this.#timeoutSeconds,
        [library.customFetch]: (url, options) => fetchLimited(url, options as RequestInit),
        ...(this.#isLocal && { execute: [library.allowInsecureRequests] }),
      });
      const metadata: ServerMetadata = { ...found.serverMetadata() };
      // The library allows exceptions, such as a multi-tenant issuer of a cloud.
      if (new URL(metadata.issuer).href !== issuer.href) {
        throw new SingleSignOnRefused('SSO_UNTRUSTED', 'the provider names another issuer than LATCHKEY_OIDC_ISSUER');
      }
      this.#known = { metadata, atMs: clock.monotonic() };
      return metadata;
    } catch (error) {
      throw toRefusal(error);
    }
  }

  get #timeoutSeconds(): number {
    return (this.#deps.requestTimeoutMs ?? defaultRequestTimeoutMs) / 1000;
  }

  get #isLocal(): boolean {
    return isLoopback(new URL(this.#deps.oidc.issuer).hostname);
  }
}

/** Like `fetch`, but reading a longer response fails: the library reads all of it into memory. */
async function fetchLimited(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxResponseBytes) controller.error(new TypeError('the response of the provider is too long'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(counting) ?? null, response);
}

/**
 * Prefers `client_secret_post` if supported: not all providers decode `client_secret_basic` as the standard requires.
 */
function chooseAuthentication(
  library: Library,
  { token_endpoint_auth_methods_supported }: ServerMetadata,
  secret: string,
) {
  const isPost = token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false;
  return isPost ? library.ClientSecretPost(secret) : library.ClientSecretBasic(secret);
}

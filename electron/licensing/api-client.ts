/** Typed calls to the server through the endpoint table, with a timeout, one quick retry and rate-limit waits. */
import type { z } from 'zod';
import {
  apiRoot,
  type Endpoint,
  type EndpointName,
  endpoints,
  type RequestOf,
  type ResponseOf,
} from '../../shared/api/endpoints.ts';
import { leaseKeysEndpoint } from '../../shared/api/lease.ts';
import type { Language } from '../../shared/ipc/language.ts';
import { type ApiResult, readResponse } from './api-response.ts';
import { retryDelayMs } from './backoff.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import { failureNow, noServerYet } from './failure.ts';
import type { Clock, Http, HttpRequest, HttpResult, Random } from './platform.ts';
import type { Preferences } from './preferences.ts';
import type { ReachabilityTracker } from './reachability.ts';
import type { Timeline } from './timeline.ts';
import type { TrustedTime } from './trusted-time.ts';

type LeaseKeys = z.infer<typeof leaseKeysEndpoint.response>;
type ApiRequest = Omit<HttpRequest, 'timeoutMs'>;

/** Short enough that the window says within 15 s that the server cannot be reached. */
export const timeoutMs = 12_000;
/** For a server or an endpoint that did not respond within the other one last time. */
const longTimeoutMs = 25_000;
export const maxResponseBytes = 1024 * 1024;
/** A device takes 300 bytes, and an account may have thousands of them. */
const maxBytesOfLists = 4 * 1024 * 1024;
const lists: ReadonlySet<EndpointName> = new Set(['listActivations', 'exportAccount']);

export type CallOptions<N extends EndpointName> = {
  readonly body?: RequestOf<N>;
  readonly params?: Readonly<Record<string, string>>;
  readonly accessToken?: string;
  readonly idempotencyKey?: string;
  /** Whether it is sent only once, even if repeating it has the same effect. */
  readonly once?: boolean;
  /** Language of the texts that the server writes for people. */
  readonly language?: Language | (string & {});
  /** A server other than the current one, e.g. the one being left. */
  readonly serverAddress?: string;
  /** Whether its response is returned even if the user has chosen another server meanwhile. */
  readonly outlivesServer?: boolean;
};

type ApiClientDeps = {
  readonly http: Http;
  readonly clock: Clock;
  readonly random: Random;
  readonly preferences: Preferences;
  readonly reachability: ReachabilityTracker;
  readonly trustedTime: TrustedTime;
  readonly timeline: Timeline;
  /** How the client identifies itself; users recognize their sessions by it. */
  readonly userAgent: string;
  readonly changes: ChangeNotifier;
  /** Cancels all requests. */
  readonly signal: AbortSignal;
};

export class ApiClient {
  readonly #deps: ApiClientDeps;
  /** When each rate-limit bucket may be used again, in monotonic milliseconds. */
  readonly #bucketReadyAtMs = new Map<string, number>();
  #isSlow = false;
  readonly #slowEndpoints = new Set<Endpoint>();

  constructor(deps: ApiClientDeps) {
    this.#deps = deps;
  }

  /** Never rejects. While the server limits a bucket, calls that use it fail at once. */
  async call<N extends EndpointName>(name: N, options: CallOptions<N> = {}): Promise<ApiResult<ResponseOf<N>>> {
    const { clock, preferences, reachability, trustedTime, timeline, userAgent, changes, signal } = this.#deps;
    const endpoint: Endpoint = endpoints[name];
    const bucket = endpoint.rate === 'default' ? `default:${name}` : endpoint.rate;
    const waitMs = (this.#bucketReadyAtMs.get(bucket) ?? 0) - clock.monotonic();
    if (waitMs > 0) return rateLimited(clock, waitMs);
    const serverAddress = options.serverAddress ?? preferences.current.serverAddress;
    if (serverAddress === null) return { kind: 'inconclusive', failure: noServerYet(clock) };
    const maxBytes = lists.has(name) ? maxBytesOfLists : maxResponseBytes;
    const request = buildRequest({ endpoint, options, serverAddress, userAgent, maxBytes, signal });
    const result = await this.#sendWithRetry(name, request, options);
    // A server that the user has left, or is leaving, says nothing about the current one.
    const isCurrent = serverAddress === preferences.current.serverAddress;
    if (isCurrent && result.kind === 'inconclusive' && result.failure.code === 'RATE_LIMITED') {
      this.#bucketReadyAtMs.set(bucket, clock.monotonic() + (result.failure.retryAfterSeconds ?? 1) * 1000);
    }
    timeline.addAnswer(name, result);
    if (options.serverAddress === undefined) {
      // The user has switched servers since the call began.
      if (!isCurrent)
        return options.outlivesServer ? (result as ApiResult<ResponseOf<N>>) : noResponse(clock, 'canceled');
      reachability.record(result);
      if (result.kind === 'success') trustedTime.confirm(result.serverTimeMs);
      changes.notify();
    }
    return result as ApiResult<ResponseOf<N>>;
  }

  /** Loads the public lease keys of that server. Never rejects. */
  async loadLeaseKeys(serverAddress: string): Promise<ApiResult<LeaseKeys>> {
    const { userAgent, signal } = this.#deps;
    const headers = { accept: 'application/json', 'user-agent': userAgent };
    const url = serverAddress + leaseKeysEndpoint.path;
    const request = { method: 'GET', url, headers, maxResponseBytes, signal } as const;
    const result = await this.#send(leaseKeysEndpoint, request, []);
    this.#deps.timeline.addAnswer('leaseKeys', result);
    return result as ApiResult<LeaseKeys>;
  }

  /** Forgets the rate limits and the slowness of the previous server. */
  forgetServer(): void {
    this.#bucketReadyAtMs.clear();
    this.#slowEndpoints.clear();
    this.#isSlow = false;
  }

  async #sendWithRetry(name: EndpointName, request: ApiRequest, options: CallOptions<EndpointName>) {
    const { clock, random, signal } = this.#deps;
    const secrets = secretsIn(options);
    const startedAtMs = clock.monotonic();
    let result = await this.#send(endpoints[name], request, secrets);
    for (let attempt = 1; result.kind === 'inconclusive' && isRepeatable(name, options); attempt++) {
      const elapsedMs = clock.monotonic() - startedAtMs;
      const delayMs = retryDelayMs({ attempt, failure: result.failure, elapsedMs, fraction: random.fraction() });
      if (delayMs === null) break;
      await pause(clock, delayMs, signal);
      if (signal.aborted) break;
      result = await this.#send(endpoints[name], request, secrets);
    }
    return result;
  }

  async #send(endpoint: Endpoint, request: ApiRequest, secrets: readonly string[]): Promise<ApiResult<unknown>> {
    const { http, clock } = this.#deps;
    const beganAtMs = clock.monotonic();
    const isSlow = this.#isSlow || this.#slowEndpoints.has(endpoint);
    const result = await http.send({ ...request, timeoutMs: isSlow ? longTimeoutMs : timeoutMs });
    this.#isSlow = clock.monotonic() - beganAtMs >= timeoutMs;
    this.#slowEndpoints[this.#isSlow ? 'add' : 'delete'](endpoint);
    if (!result.ok) return noResponse(clock, result.reason, result.message);
    return readResponse(endpoint, result.response, { nowMs: clock.now(), secrets });
  }
}

/** Resolves after the delay, or once the signal aborts. */
function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      cancelTimer();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancelTimer = clock.setTimer(delayMs, end);
    signal.addEventListener('abort', end);
  });
}

/** Calls that have the same effect whether they are sent once or twice. */
type Repeatable =
  | 'about'
  | 'features'
  | 'subscriptionStatus'
  | 'validateLicense'
  | 'activateLicense'
  | 'lease'
  | 'listActivations'
  | 'releaseActivation'
  | 'heartbeat'
  | 'apiKeyStatus'
  | 'reportApiKey'
  | 'installerHashes'
  | 'installerByHash'
  | 'checkoutToken'
  | 'sessions'
  | 'emailStatus'
  | 'endSession'
  | 'exportAccount';

/** For all other calls: whether they have it with an idempotency key. */
const repeatableWithKey: Readonly<Partial<Record<EndpointName, boolean>>> = {
  refresh: true,
  apiKey: true,
  login: false,
  signup: false,
  logout: false,
  changePassword: false,
  changeEmail: false,
  sendEmailConfirmation: false,
  confirmEmail: false,
  deleteOwnAccount: false,
  forgotPassword: false,
  resetPassword: false,
  accountSignIn: false,
  accountSession: false,
  accountSignOut: false,
  replaceLicenseKey: false,
  validateApiKey: false,
} satisfies Record<Exclude<EndpointName, Repeatable>, boolean>;

/** True if sending the request twice has the same effect as sending it once. */
function isRepeatable(name: EndpointName, options: CallOptions<EndpointName>): boolean {
  if (options.once) return false;
  const withKey = repeatableWithKey[name];
  return withKey === undefined || (withKey && options.idempotencyKey !== undefined);
}

function buildRequest(input: {
  readonly endpoint: Endpoint;
  readonly options: CallOptions<EndpointName>;
  readonly serverAddress: string;
  readonly userAgent: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}): ApiRequest {
  const { endpoint, options, serverAddress, userAgent, maxBytes, signal } = input;
  // Another server's ids may be any text, and a lone surrogate cannot be encoded.
  const encode = (_: string, key: string) => encodeURIComponent((options.params?.[key] ?? '').toWellFormed());
  const path = endpoint.path.replace(/:(\w+)/g, encode);
  const body = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
  return {
    method: endpoint.method,
    url: serverAddress + apiRoot + path,
    headers: {
      accept: 'application/json',
      'user-agent': userAgent,
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.accessToken === undefined ? {} : { authorization: `Bearer ${options.accessToken}` }),
      ...(options.language === undefined ? {} : { 'accept-language': options.language }),
      ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
    },
    ...body,
    maxResponseBytes: maxBytes,
    signal,
  };
}

const secretFields = ['password', 'current_password', 'new_password', 'refresh_token', 'license_key', 'api_key'];

function secretsIn(options: { readonly body?: unknown; readonly accessToken?: string }): string[] {
  const fields = Object.entries(options.body ?? {}).filter(([key]) => secretFields.includes(key));
  return [...fields.map(([, value]) => String(value)), options.accessToken ?? ''];
}

type NoResponseReason = Extract<HttpResult, { ok: false }>['reason'];

/** The messages are fixed, because a transport's own message may contain an address or a secret, unless it is a code. */
const noResponseFailures = {
  unreachable: ['SERVER_UNREACHABLE', 'The server could not be reached.'],
  timeout: ['SERVER_UNREACHABLE', 'The server did not respond in time.'],
  'too-large': ['SERVER_RESPONSE_INVALID', 'The response is too large to be from the server.'],
  canceled: ['CANCELED', 'The call was canceled.'],
} as const satisfies Record<NoResponseReason, readonly [code: string, message: string]>;

/** Returns the result of a request without a response. */
export function noResponse(clock: Clock, reason: NoResponseReason, cause = ''): ApiResult<never> {
  const [code, message] = noResponseFailures[reason];
  const more = /^[A-Z][A-Z0-9_]+$/.test(cause) ? { networkCode: cause } : {};
  return { kind: 'inconclusive', failure: failureNow(clock, code, message, more) };
}

/** Returns the result of a request that the server allows only after the wait. */
export function rateLimited(clock: Clock, waitMs: number): ApiResult<never> {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const failure = failureNow(clock, 'RATE_LIMITED', 'The server asked to wait.', { retryAfterSeconds });
  return { kind: 'inconclusive', failure };
}

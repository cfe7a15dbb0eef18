/** One typed call to the server through the endpoint table. */

import type { RequestOf } from '../../shared/api/endpoints.ts';
import { apiRoot, type Endpoint, type EndpointName, endpoints, type ResponseOf } from '../../shared/api/endpoints.ts';
import { retryDelayMs } from './backoff.ts';
import { failureNow } from './failure.ts';
import type { Clock, Http, HttpRequest, HttpResult, Random } from './platform.ts';
import { bucketOf, createRateGate } from './rate-gate.ts';
import { type ApiOutcome, readAnswer } from './read-answer.ts';

const timeoutMs = 12_000;
const maxResponseBytes = 1024 * 1024;

export type CallOptions<N extends EndpointName> = {
  readonly body?: RequestOf<N>;
  readonly params?: Readonly<Record<string, string>>;
  readonly accessToken?: string;
  readonly idempotencyKey?: string;
  /** Another server than the current one: the one that is being left. */
  readonly serverAddress?: string;
};

export type ApiClient = {
  readonly call: <N extends EndpointName>(name: N, options?: CallOptions<N>) => Promise<ApiOutcome<ResponseOf<N>>>;
  /** Forgets what the former server asked for. */
  readonly forgetServer: () => void;
};

export type ApiClientParts = {
  readonly http: Http;
  readonly clock: Clock;
  readonly random: Random;
  readonly serverAddress: () => string;
  readonly signal: AbortSignal;
  /** Hears of every call's end, to tell whether the server can be reached. */
  readonly onOutcome: (outcome: ApiOutcome<unknown>) => void;
};

/** A client of one server; it never rejects, retries what may be sent twice, and waits as it was told. */
export function createApiClient(parts: ApiClientParts): ApiClient {
  const { http, clock } = parts;
  const gate = createRateGate(clock);

  async function send(endpoint: Endpoint, request: HttpRequest, secrets: readonly string[]) {
    const outcome = await http.send(request);
    if (!outcome.ok) return noAnswer(clock, outcome);
    return readAnswer(endpoint, outcome.response, { nowMs: clock.now(), secrets });
  }

  async function call<N extends EndpointName>(name: N, options: CallOptions<N> = {}) {
    const endpoint: Endpoint = endpoints[name];
    const bucket = bucketOf(name, endpoint);
    const waitMs = gate.remainingMs(bucket);
    if (waitMs > 0) return stillWaiting(clock, waitMs);
    const request = buildRequest(endpoint, options, options.serverAddress ?? parts.serverAddress(), parts.signal);
    const secrets = secretsIn(options);
    const startedAtMs = clock.monotonic();
    let outcome = await send(endpoint, request, secrets);
    for (let attempt = 1; outcome.kind === 'inconclusive' && mayRepeat(name, options); attempt++) {
      const elapsedMs = clock.monotonic() - startedAtMs;
      const fraction = parts.random.fraction();
      const delayMs = retryDelayMs({ attempt, failure: outcome.failure, elapsedMs, fraction });
      if (delayMs === null || parts.signal.aborted) break;
      await new Promise<void>((resolve) => void clock.setTimer(delayMs, resolve));
      outcome = await send(endpoint, request, secrets);
    }
    if (outcome.kind === 'inconclusive' && outcome.failure.code === 'RATE_LIMITED') {
      gate.close(bucket, outcome.failure.retryAfterSeconds ?? 1);
    }
    if (options.serverAddress === undefined) parts.onOutcome(outcome);
    return outcome as ApiOutcome<ResponseOf<N>>;
  }

  return { call, forgetServer: gate.clear };
}

/** Whether sending the call twice does no more than sending it once. */
function mayRepeat(name: EndpointName, options: { readonly idempotencyKey?: string }): boolean {
  switch (name) {
    case 'subscriptionStatus':
    case 'validateLicense':
    case 'activateLicense':
    case 'listActivations':
    case 'releaseActivation':
    case 'heartbeat':
    case 'installerHashes':
      return true;
    case 'refresh':
      return options.idempotencyKey !== undefined;
    case 'login':
    case 'signup':
    case 'logout':
    case 'apiKey':
    case 'validateApiKey':
      return false;
  }
}

function buildRequest(
  endpoint: Endpoint,
  options: CallOptions<EndpointName>,
  serverAddress: string,
  signal: AbortSignal,
): HttpRequest {
  const path = endpoint.path.replace(/:(\w+)/g, (_, key: string) => encodeURIComponent(options.params?.[key] ?? ''));
  const body = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
  return {
    method: endpoint.method,
    url: serverAddress + apiRoot + path,
    headers: {
      accept: 'application/json',
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.accessToken === undefined ? {} : { authorization: `Bearer ${options.accessToken}` }),
      ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
    },
    ...body,
    timeoutMs,
    maxResponseBytes,
    signal,
  };
}

const secretFields = ['password', 'refresh_token', 'license_key', 'api_key'];

function secretsIn(options: { readonly body?: unknown; readonly accessToken?: string }): string[] {
  const fields = Object.entries(options.body ?? {}).filter(([key]) => secretFields.includes(key));
  return [...fields.map(([, value]) => String(value)), options.accessToken ?? ''];
}

function noAnswer(clock: Clock, outcome: Extract<HttpResult, { ok: false }>): ApiOutcome<never> {
  const code = {
    unreachable: 'SERVER_UNREACHABLE',
    timeout: 'SERVER_UNREACHABLE',
    'too-large': 'SERVER_RESPONSE_INVALID',
    canceled: 'CANCELED',
  }[outcome.reason];
  return { kind: 'inconclusive', failure: failureNow(clock, code, sentenceFor(outcome.reason)) };
}

/** Fixed sentences: a transport's own message may hold an address or worse. */
function sentenceFor(reason: Extract<HttpResult, { ok: false }>['reason']): string {
  switch (reason) {
    case 'unreachable':
      return 'The server could not be reached.';
    case 'timeout':
      return 'The server did not answer in time.';
    case 'too-large':
      return 'The answer is too large to be from the server.';
    case 'canceled':
      return 'The call was canceled.';
  }
}

function stillWaiting(clock: Clock, waitMs: number): ApiOutcome<never> {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  const failure = failureNow(clock, 'RATE_LIMITED', 'The server asked to wait.', { retryAfterSeconds });
  return { kind: 'inconclusive', failure };
}

/** The server of a replay: its responses, as far as the file contains them. */
import type { HttpResult } from '../../../electron/licensing/platform.ts';
import type { LeaseSigner } from '../../electron/licensing/lease-signer.ts';
import type { RecordedAnswer, RecordedAnswers } from './recorded-answers.ts';
import type { ReplayClock } from './replay-clock.ts';
import { makeResponse, respondDone, respondNotConfigured, respondNothing } from './replay-response.ts';
import type { ServerTime } from './server-time.ts';

export type ReplayServerDeps = {
  readonly clock: ReplayClock;
  readonly serverTime: ServerTime;
  readonly signerOf: (kid: string) => LeaseSigner;
  readonly answers: RecordedAnswers;
  /** The account that is signed in if the file does not say so. */
  readonly accountId: string;
};

/** Share of its lifetime for which a token is used, and its maximum lifetime of one day. */
const [usedShare, maxLifetimeMs] = [0.8, 24 * 3_600_000];
/** The endpoints that the client is made to call. */
const asked = [
  'login',
  'signup',
  'refresh',
  'heartbeat',
  'validateLicense',
  'subscriptionStatus',
  'activateLicense',
  'releaseActivation',
  'lease',
  'deleteOwnAccount',
  'replaceLicenseKey',
];
/** Endpoints that reveal neither the server time nor whether the server is reachable. */
export const unnoticed = ['about', 'leaseKeys', 'logout'];
/** Endpoints that the client calls along with others; it is never made to call just these. */
export const besides = [...unnoticed, 'features', 'listActivations', 'apiKeyStatus'];
/** The refresh of a token that the client had before the file begins. */
const impliedRefresh: RecordedAnswer = {
  kind: 'answer',
  at: '1970-01-01T00:00:00.000Z',
  monotonic_ms: 0,
  endpoint: 'refresh',
  outcome: 'success',
  code: null,
  server_time: null,
  times: 1,
  last_at: '1970-01-01T00:00:00.000Z',
};

/** Returns true if only the fact and the time of the endpoint's response matter. */
export function isStandIn(endpoint: string): boolean {
  return !asked.includes(endpoint) && !besides.includes(endpoint);
}

export class ReplayServer {
  readonly #deps: ReplayServerDeps;

  constructor(deps: ReplayServerDeps) {
    this.#deps = deps;
  }

  /** Returns the immediate response, or `undefined` if it comes later or is unknown. */
  atOnce(endpoint: string): HttpResult | undefined {
    const { answers, clock } = this.#deps;
    const nowMs = clock.monotonic();
    if (endpoint === 'installerHashes') return respondNotConfigured();
    const isAnsweredLater = answers.next(endpoint, nowMs, Number.POSITIVE_INFINITY) !== undefined;
    const last = answers.last(endpoint);
    if (besides.includes(endpoint) && !isAnsweredLater) {
      return last && last.outcome !== 'inconclusive' ? this.respond(last) : respondNothing();
    }
    const answer = answers.repeated(endpoint, nowMs);
    return answer && this.respond(answer);
  }

  /** Returns the recorded response as of now. */
  respond(answer: RecordedAnswer): HttpResult {
    const { clock, serverTime, accountId, signerOf } = this.#deps;
    const [serverMs, nowMs] = [serverTime.at(answer), clock.now()];
    return makeResponse(answer, { serverMs, nowMs, tokenLifetimeMs: this.#tokenLifetimeMs(), accountId, signerOf });
  }

  /** Returns a response with only the recorded outcome and time. */
  respondBriefly(answer: RecordedAnswer): HttpResult {
    return answer.outcome === 'success' ? respondDone(this.#deps.serverTime.at(answer)) : this.respond(answer);
  }

  /** Answers a refresh that is missing in the file; nothing else depends on it. */
  respondRefresh(): HttpResult {
    return this.respond(this.#deps.answers.last('refresh') ?? impliedRefresh);
  }

  /** Chosen so that the next refresh happens at the recorded time. */
  #tokenLifetimeMs(): number {
    const { answers, clock } = this.#deps;
    const next = answers.next('refresh', clock.monotonic(), maxLifetimeMs * usedShare);
    if (next === undefined) return maxLifetimeMs;
    const ages = [next.monotonicMs - clock.monotonic(), next.wallMs - clock.now()];
    return Math.min(maxLifetimeMs, Math.max(1, Math.floor(Math.max(...ages) / usedShare)));
  }
}

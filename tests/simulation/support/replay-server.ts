/** The server of a replay: what it answers, as far as the file says it. */
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
  /** Who is signed in where the file does not say it. */
  readonly accountId: string;
};

/** A token is used for this share of its life, and lives for a day at most. */
const [usedShare, maxLifetimeMs] = [0.8, 24 * 3_600_000];
/** What the client is made to ask for. */
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
/** Of these neither the time of the server nor whether it can be reached follows. */
export const unnoticed = ['about', 'leaseKeys', 'logout'];
/** What the client asks for beside everything else; nothing is asked only to ask for that. */
export const besides = [...unnoticed, 'features', 'listActivations', 'apiKeyStatus'];
/** Of a token that the client had where the file begins. */
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

/** Whether of an answer of that endpoint only this matters: that the server has answered, and at what time. */
export function isStandIn(endpoint: string): boolean {
  return !asked.includes(endpoint) && !besides.includes(endpoint);
}

export class ReplayServer {
  readonly #deps: ReplayServerDeps;

  constructor(deps: ReplayServerDeps) {
    this.#deps = deps;
  }

  /** What a request is answered at once; `undefined` where that comes later, or is not known. */
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

  /** The recorded answer, now. */
  respond(answer: RecordedAnswer): HttpResult {
    const { clock, serverTime, accountId, signerOf } = this.#deps;
    const [serverMs, nowMs] = [serverTime.at(answer), clock.now()];
    return makeResponse(answer, { serverMs, nowMs, tokenLifetimeMs: this.#tokenLifetimeMs(), accountId, signerOf });
  }

  /** That the server has answered so, and at what time, without more. */
  respondBriefly(answer: RecordedAnswer): HttpResult {
    return answer.outcome === 'success' ? respondDone(this.#deps.serverTime.at(answer)) : this.respond(answer);
  }

  /** To a refresh that the file does not have: nothing else depends on it. */
  respondRefresh(): HttpResult {
    return this.respond(this.#deps.answers.last('refresh') ?? impliedRefresh);
  }

  /** So that the next refresh is when it was. */
  #tokenLifetimeMs(): number {
    const { answers, clock } = this.#deps;
    const next = answers.next('refresh', clock.monotonic(), maxLifetimeMs * usedShare);
    if (next === undefined) return maxLifetimeMs;
    const ages = [next.monotonicMs - clock.monotonic(), next.wallMs - clock.now()];
    return Math.min(maxLifetimeMs, Math.max(1, Math.floor(Math.max(...ages) / usedShare)));
  }
}

/** One run of the app in a replay: the real client, whose requests are answered as the file says. */
import { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import type { HttpResult, Platform } from '../../../electron/licensing/platform.ts';
import { timeReading } from '../../../electron/licensing/trusted-time.ts';
import type { KnownFacts } from '../../../shared/ipc/diagnostics.ts';
import { createFakeNetwork, createFakePlatform, type FakePlatform } from '../../electron/fake-platform.ts';
import type { LeaseSigner } from '../../electron/licensing/lease-signer.ts';
import { testApp } from '../../electron/licensing/start-client.ts';
import type { SupportFile } from './read-support-file.ts';
import { type RecordedAnswer, RecordedAnswers } from './recorded-answers.ts';
import type { ReplayClock, RunsAt } from './replay-clock.ts';
import { ReplayHttp } from './replay-http.ts';
import { respondDone, respondNo, respondNothing, unreachable } from './replay-response.ts';
import { besides, isStandIn, ReplayServer, unnoticed } from './replay-server.ts';
import type { RecordedRun } from './replay-steps.ts';
import type { ReplayStore } from './replay-store.ts';
import type { ServerTime } from './server-time.ts';

export type ReplayClientDeps = {
  readonly file: SupportFile;
  readonly run: RecordedRun;
  readonly clock: ReplayClock;
  readonly store: ReplayStore;
  readonly serverTime: ServerTime;
  readonly signerOf: (kid: string) => LeaseSigner;
  /** Ids of the keys that are trusted from the start if the app was built with keys. */
  readonly kids: readonly string[];
};

/**
 * Minimum interval of syncs while the file has several identical responses merged, which the client would only receive
 * again.
 */
const syncEveryMs = 3_600_000;
/** Time within which a failed call is retried automatically. */
const quickRetryMs = 3000;
/** The request that stands in for one that is not replayed. */
const standInEndpoint = 'forgotPassword';
/** Maximum number of other responses before the recorded one: twice the number of requests in a sync. */
const maxRounds = 24;
export class ReplayClient {
  readonly client: LicensingClient;
  readonly platform: FakePlatform;
  readonly #deps: ReplayClientDeps;
  readonly #answers: RecordedAnswers;
  readonly #server: ReplayServer;
  readonly #http: ReplayHttp;
  #isAsleep = false;
  /** The endpoint of the response that is currently given. */
  #expected: string | null = null;
  #syncedAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ReplayClientDeps) {
    const { file, run, clock, store, kids, signerOf } = deps;
    this.#deps = deps;
    this.#answers = new RecordedAnswers(run.answers, run.monotonicMs);
    const accountId = run.known?.account_id ?? file.account?.id ?? 'replay-account';
    this.#server = new ReplayServer({ ...deps, answers: this.#answers, accountId });
    this.#http = new ReplayHttp((endpoint) => this.#answerAtOnce(endpoint));
    clock.start(run, run.boot, this.#runsAt);
    this.platform = createFakePlatform({ secretValues: store.secrets, plainValues: store.plain });
    const { keys: from } = file.lease;
    const pinned =
      from === 'first-use' ? {} : { trustedLeaseKeys: { from, keys: kids.map((kid) => signerOf(kid).jwk) } };
    this.client = new LicensingClient({
      platform: this.#createPlatform(),
      app: { ...testApp, version: run.version ?? file.app.version },
      defaultServerAddress: file.server.address,
      ...pinned,
    });
  }

  set isAsleep(isAsleep: boolean) {
    this.#isAsleep = isAsleep;
  }

  /**
   * For a file that begins in the middle of a run: restores the client's knowledge of the server time and of whether
   * the server is reachable.
   */
  async recallServer(): Promise<void> {
    const { run } = this.#deps;
    const reachability = run.known?.reachability ?? 'unknown';
    if (reachability === 'unknown') return;
    const serverMs = confirmedTimeIn(run.known);
    await this.#standIn(serverMs === null ? respondNo() : respondDone(serverMs));
    if (reachability === 'offline') await this.#standIn(unreachable);
  }

  /**
   * Gives the client this response, making it ask if necessary. Resolves with true if it asked, or if nothing depends
   * on it.
   */
  async receive(answer: RecordedAnswer): Promise<boolean> {
    const { endpoint } = answer;
    this.#answers.advance(answer);
    this.#expected = endpoint;
    const isAsked = isStandIn(endpoint) ? false : await this.#waitFor(answer);
    this.#expected = null;
    if (isAsked || unnoticed.includes(endpoint)) return true;
    await this.#standIn(this.#server.respondBriefly(answer));
    return isStandIn(endpoint) || besides.includes(endpoint);
  }

  /** Makes the client ask once more if the file has several responses merged into one. */
  async askAgain(): Promise<void> {
    const nowMs = this.#deps.clock.monotonic();
    if (['refresh', 'heartbeat'].some((endpoint) => this.#answers.repeated(endpoint, nowMs))) await this.#syncNow();
  }

  /** Makes another request in place of one that is not replayed: it affects only the server time and reachability. */
  async #standIn(result: HttpResult): Promise<void> {
    this.#expected = standInEndpoint;
    void this.client.requestPasswordReset({ email: 'replay@example.org', language: 'en' });
    await this.#deps.clock.settle();
    this.#expected = null;
    await this.#deliver(standInEndpoint, result);
  }

  async #waitFor(answer: RecordedAnswer): Promise<boolean> {
    const { endpoint } = answer;
    for (let round = 0; round < maxRounds; round++) {
      if (this.#http.waitsFor(endpoint) !== undefined) {
        this.#expected = null;
        await this.#deliver(endpoint, this.#server.respond(answer));
        return true;
      }
      if (besides.includes(endpoint)) return false;
      if (this.#failsBefore(answer)) {
        await this.#deliver('refresh', this.#server.respond(answer));
        return true;
      }
      if (!(await this.#goOn())) return false;
    }
    return false;
  }

  /**
   * If the file begins in the middle of a run, the client lacks a token that it had: the failure then occurs at the
   * refresh.
   */
  #failsBefore({ outcome }: RecordedAnswer): boolean {
    const needsToken = this.#http.waitsFor('refresh') !== undefined && this.#answers.last('refresh') === undefined;
    return needsToken && outcome === 'inconclusive';
  }

  /** Starts the next sync, or answers another request that blocks it. */
  async #goOn(): Promise<boolean> {
    const other = this.#http.waitsFor();
    if (await this.#syncNow()) return true;
    if (other === undefined) return false;
    // An earlier response may be out of date.
    await this.#deliver(other, other === 'refresh' ? this.#server.respondRefresh() : respondNothing());
    return true;
  }

  async #syncNow(): Promise<boolean> {
    const { nextAt } = this.client.getState().heartbeat;
    if (nextAt === null) return false;
    return this.#deps.clock.runEarly(Date.parse(nextAt));
  }

  /** The retry of a failed call is part of what was recorded, and therefore takes no time. */
  async #deliver(endpoint: string, result: HttpResult): Promise<void> {
    await this.#deps.clock.withoutWaiting(quickRetryMs, () => this.#http.deliver(endpoint, result));
  }

  #answerAtOnce(endpoint: string): HttpResult | undefined {
    if (endpoint === 'heartbeat') this.#syncedAtMs = this.#deps.clock.monotonic();
    return endpoint === this.#expected ? undefined : this.#server.atOnce(endpoint);
  }

  /** The sync runs when the file says that the server responded, and rarely in between. */
  readonly #runsAt: RunsAt = ({ atMs, dueWallMs }) => {
    if (this.#isAsleep) return Number.POSITIVE_INFINITY;
    const { nextAt } = this.client.getState().heartbeat;
    if (nextAt === null || Date.parse(nextAt) !== dueWallMs) return atMs;
    const runsAtMs = Math.max(atMs, this.#syncedAtMs + syncEveryMs);
    const isAnswered = this.#answers.repeated('heartbeat', runsAtMs) !== undefined;
    return isAnswered ? runsAtMs : Number.POSITIVE_INFINITY;
  };

  #createPlatform(): Platform {
    const { clock, file } = this.#deps;
    const hasRandomId = file.device.source === 'random';
    return {
      ...this.platform,
      clock,
      http: this.#http,
      network: createFakeNetwork(clock),
      random: { ...this.platform.random, fraction: () => 0 },
      machine: {
        readMachineId: async () =>
          hasRandomId ? { kind: 'absent' } : { kind: 'unreadable', message: 'not part of a support file' },
        deviceName: 'replay',
        platform: 'replay',
      },
    };
  }
}

/** Returns the server time that the client had received in this run. */
function confirmedTimeIn(known: KnownFacts | undefined): number | null {
  const time = timeReading.safeParse(known?.license.time).data;
  return time?.fromServer && time.gap === null ? time.trustedMs : null;
}

/**
 * Updates of the app: checks once a day and on request, and installs only what the publisher's keys verify. The license
 * has no part in it, so that security fixes reach everyone.
 */
import { z } from 'zod';
import { type Done, type Failure, fail, succeed } from '../../shared/ipc/result.ts';
import type { FileProgress } from '../../shared/ipc/updates.ts';
import { noUpdates, type UpdateReason, type UpdatesState } from '../../shared/ipc/updates.ts';
import type { PublicJwk, SignatureVerifier } from '../../shared/jws.ts';
import { type UpdateManifestClaims, verifyUpdateManifest } from '../../shared/update-manifest.ts';
import { CachedDocument } from './cached-document.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import { failureNow, noServerYet, toTimestamp } from './failure.ts';
import { fileProblemOf } from './file-problem.ts';
import type { Lease } from './lease.ts';
import { type LoadTextDeps, loadText } from './load-text.ts';
import { orCanceled } from './or-canceled.ts';
import type { AppUpdater, Log, OfferedFile, PlainStore, Power, Random, UpdateDownload } from './platform.ts';
import type { Preferences } from './preferences.ts';
import { RepeatingJob } from './repeating-job.ts';
import { decideUpdate, findOffered, isNewer, readUpdateChannel, type UpdateChannelInfo } from './update-offer.ts';

const updatesDocument = z.object({
  version: z.literal(1),
  highestSeen: z.string().nullable(),
  rolloutFraction: z.number().min(0).max(1),
  checkedAtMs: z.number(),
});
type Stored = Omit<z.infer<typeof updatesDocument>, 'version'>;

export type UpdatesDeps = LoadTextDeps & {
  readonly preferences: Pick<Preferences, 'current'>;
  readonly lease: Pick<Lease, 'claims'>;
  readonly random: Random;
  readonly plain: PlainStore;
  readonly power: Power;
  readonly log: Log;
  readonly changes: Pick<ChangeNotifier, 'notify' | 'subscribe'>;
  readonly subtle: SignatureVerifier<unknown>;
  /** `null` if this app does not update itself; it then never checks automatically. */
  readonly updater: AppUpdater | null;
  readonly current: string;
  /** The publisher's keys; `null` if the app was built without. */
  readonly updateKeys: readonly PublicJwk[] | null;
};

type Answer = {
  /** Verified. */
  readonly manifest: UpdateManifestClaims | null;
  readonly channel: UpdateChannelInfo | null;
};

type NoAnswer = { readonly reason: UpdateReason; readonly failure: Failure };

/** An app that does not update itself only reports that a version exists. */
const withoutUpdater = { installation: 'not-packaged', platform: '', channel: 'latest.yml' } as const;

const hourMs = 60 * 60_000;
const minBattery = 0.2;
const installDeadlineMs = 2 * hourMs;
/** Long enough for the answer to reach the window or the command line. */
const restartAfterMs = 1000;
/** Abort reason of a download that the user has canceled. */
const canceled = 'canceled';

export class Updates {
  readonly #deps: UpdatesDeps;
  readonly #document: CachedDocument<z.infer<typeof updatesDocument>>;
  readonly #job: RepeatingJob;
  #stored: Stored;
  #state: UpdatesState;
  /** Path of the offered version in the feed, for a browser. */
  #path: string | null = null;
  /** Its files for this platform, signed by the publisher. */
  #files: readonly OfferedFile[] = [];
  /** The server that was asked last. */
  #asked: string | null = null;
  #wasInconclusive = false;
  #checking: Promise<Done> | null = null;
  #cancelRestart: () => void = () => {};
  #stopListening: () => void = () => {};
  #installing: { readonly done: Promise<Done>; readonly ending: AbortController } | null = null;

  constructor(deps: UpdatesDeps) {
    this.#deps = deps;
    this.#state = noUpdates(deps.current);
    const rolloutFraction = deps.random.fraction();
    this.#stored = { highestSeen: null, rolloutFraction, checkedAtMs: Number.NEGATIVE_INFINITY };
    this.#document = new CachedDocument({ ...deps, name: 'updates', schema: updatesDocument });
    const { clock, log } = deps;
    const nextDelayMs = () => this.#nextDelayMs();
    this.#job = new RepeatingJob({
      clock,
      log,
      run: () => this.#checkAutomatically(),
      nextDelayMs,
      onChange: () => {},
    });
    deps.changes.subscribe(() => {
      if (this.#isOfAnotherServer) this.cancel();
    });
  }

  /** What a server has answered counts only while it is in use. */
  get state(): UpdatesState {
    const { current, working } = this.#state;
    return this.#isOfAnotherServer ? { ...noUpdates(current), working } : this.#state;
  }

  get #isOfAnotherServer(): boolean {
    return this.#asked !== null && this.#asked !== this.#deps.preferences.current.serverAddress;
  }

  /** URL of the file for a browser, if the app cannot install it; `null` if there is none. */
  get downloadAddress(): string | null {
    const { available } = this.state;
    if (available === null || this.#path === null) return null;
    return `${this.#asked}/updates/${this.#path}`;
  }

  async load(): Promise<void> {
    const stored = await this.#document.read();
    if (stored === null) return;
    this.#stored = stored;
    this.#show({ checkedAt: toTimestamp(stored.checkedAtMs) });
  }

  /**
   * Starts the automatic checks; the first comes no earlier than 5 to 15 minutes after the start, and no later if a newer
   * version was seen: it is offered again without a day in between.
   */
  start(): void {
    const { updater, power, current } = this.#deps;
    if (updater === null) return;
    const { highestSeen } = this.#stored;
    const isOffered = highestSeen !== null && isNewer(highestSeen, current);
    this.#job.start(isOffered ? this.#soonMs() : this.#dueInMs());
    // A timer does not count the time while the machine sleeps.
    this.#stopListening = power.onResume(() => this.#job.runWithin(this.#dueInMs()));
  }

  stop(): void {
    this.#stopListening();
    void this.#job.stop();
    this.#cancelRestart();
    this.#installing?.ending.abort();
  }

  /**
   * Asks the server now. Succeeds with any answer, including that there is no update; fails if nothing conclusive was
   * learned.
   */
  check(): Promise<Done> {
    return this.#check(true);
  }

  /**
   * Asks the server, downloads what the publisher has signed, and installs it; with `restart` the app then starts as
   * the new version. Fails with UPDATE_UNAVAILABLE if there is none for this installation, UPDATE_FAILED if it cannot
   * be installed, or CANCELED if the user canceled the download; the current version then keeps running.
   */
  install({ restart }: { readonly restart: boolean }): Promise<Done> {
    if (this.#installing === null) {
      this.#cancelRestart();
      const ending = new AbortController();
      // Runs once this installation is known, so that what it does is not shown as a check.
      const installing = Promise.resolve().then(() => this.#install(restart, ending));
      const done = installing.finally(() => {
        this.#installing = null;
        this.#show({ working: null, progress: null });
      });
      this.#installing = { done, ending };
    }
    return this.#installing.done;
  }

  /** Cancels the download or the restart, so that nothing is installed; the version stays available. */
  cancel(): void {
    this.#cancelRestart();
    this.#installing?.ending.abort(canceled);
  }

  async #checkAutomatically(): Promise<void> {
    const battery = (await this.#deps.power.readBattery?.()) ?? null;
    this.#wasInconclusive = true;
    if (battery !== null && battery.level < minBattery) return;
    if (this.#deps.preferences.current.serverAddress === null || this.#installing !== null) return;
    this.#wasInconclusive = !(await this.#check(false)).ok;
  }

  #nextDelayMs(): number {
    return this.#wasInconclusive ? (1 + 2 * this.#deps.random.fraction()) * hourMs : this.#dayMs();
  }

  /** Delay until a day after the last check, but at least some minutes. */
  #dueInMs(): number {
    const dueInMs = this.#stored.checkedAtMs + this.#dayMs() - this.#deps.clock.now();
    return Math.max(Math.min(this.#dayMs(), dueInMs), this.#soonMs());
  }

  #soonMs(): number {
    return (5 + 10 * this.#deps.random.fraction()) * 60_000;
  }

  /** A day, plus or minus up to two hours, so that devices do not all ask at once. */
  #dayMs(): number {
    return (22 + 4 * this.#deps.random.fraction()) * hourMs;
  }

  async #check(isManual: boolean): Promise<Done> {
    while (this.#checking !== null) await this.#checking;
    this.#checking = this.#ask(isManual).finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #ask(isManual: boolean): Promise<Done> {
    const { clock, preferences, current } = this.#deps;
    const { installation, platform } = this.#updater;
    const { serverAddress } = preferences.current;
    if (serverAddress === null) {
      const failure = noServerYet(clock);
      this.#show({ failure });
      return fail(failure);
    }
    // Without what another server has answered.
    this.#state = this.state;
    this.#asked = serverAddress;
    const { available: offered } = this.#state;
    this.#show({ working: this.#installing === null ? 'checking' : 'installing', failure: null });
    const answer = await this.#askServer(serverAddress);
    const working = this.#installing === null ? null : 'installing';
    if ('failure' in answer) return this.#noAnswer(answer, working);
    const { manifest, channel } = answer;
    const { highestSeen, rolloutFraction } = this.#stored;
    // What was offered at the user's request is not taken back because it is being rolled out.
    const ignoresRollout = isManual || channel?.version === offered;
    const asked = { current, channel, manifest, platform, highestSeen, rolloutFraction, isManual: ignoresRollout };
    const { available, reason: ofOffer } = decideUpdate(asked);
    const reason = ofOffer ?? (installation === 'self' ? null : installation);
    const checkedAtMs = clock.now();
    // A version not yet offered to this platform must not count as seen.
    const isOffered = channel !== null && channel.version === manifest?.version;
    const isHighest = isOffered && (highestSeen === null || isNewer(channel.version, highestSeen));
    await this.#store({ highestSeen: isHighest ? channel.version : highestSeen, rolloutFraction, checkedAtMs });
    this.#path = channel?.path ?? null;
    this.#files = channel && manifest ? findOffered(channel, manifest, platform) : [];
    const staged = this.#state.staged === available ? available : null;
    const featuresStopAfter = available === null ? null : this.#findEndOfUpdates(manifest);
    this.#show({ working, available, staged, reason, checkedAt: toTimestamp(checkedAtMs), featuresStopAfter });
    return succeed(null);
  }

  /** A version that is known stays offered while the server cannot be reached. */
  #noAnswer({ reason, failure }: NoAnswer, working: UpdatesState['working']): Done {
    const isKept = reason === 'unreachable' && this.#state.available !== null;
    const nothing = { available: null, staged: null, reason, featuresStopAfter: null };
    this.#show({ working, failure, ...(isKept ? {} : nothing) });
    return fail(failure);
  }

  get #updater(): Pick<AppUpdater, 'installation' | 'platform' | 'channel'> {
    return this.#deps.updater ?? withoutUpdater;
  }

  async #askServer(serverAddress: string): Promise<Answer | NoAnswer> {
    const { updateKeys } = this.#deps;
    const feed = `${serverAddress}/updates`;
    const channelText = await loadText(this.#deps, `${feed}/${this.#updater.channel}`);
    if (channelText.kind === 'inconclusive') return unreachable(channelText);
    let channel: UpdateChannelInfo | null = null;
    if (channelText.kind === 'success') {
      channel = readUpdateChannel(channelText.response);
      if (channel === null) return this.#refused('what it offers cannot be read');
    }
    if (updateKeys === null) return channel === null ? this.#notPublished() : { manifest: null, channel };
    const newest = await this.#askForManifest(`${feed}/manifest.jws`, updateKeys);
    if ('failure' in newest) return newest;
    if (newest.manifest === null) return channel === null ? this.#notPublished() : this.#refused('it has no manifest');
    if (channel === null || channel.version === newest.manifest.version) return { ...newest, channel };
    // The newest version was published for other platforms only; this platform's has a manifest too.
    const own = await this.#askForManifest(`${feed}/${encodeURIComponent(channel.version)}/manifest.jws`, updateKeys);
    if ('failure' in own) return own;
    return { manifest: own.manifest ?? newest.manifest, channel };
  }

  /** Returns the verified manifest; `null` if the server has none there. */
  async #askForManifest(url: string, keys: readonly PublicJwk[]): Promise<Pick<Answer, 'manifest'> | NoAnswer> {
    const { subtle } = this.#deps;
    const signed = await loadText(this.#deps, url);
    if (signed.kind === 'inconclusive') return unreachable(signed);
    if (signed.kind !== 'success') return { manifest: null };
    const verified = await verifyUpdateManifest(signed.response.trim(), { jwks: { keys }, subtle });
    return verified.valid ? { manifest: verified.claims } : this.#refused(verified.problem);
  }

  #notPublished(): NoAnswer {
    const failure = failureNow(this.#deps.clock, 'UPDATE_NOT_PUBLISHED', 'The server offers no updates.');
    return { reason: 'not-published', failure };
  }

  #refused(problem: string): NoAnswer {
    const { clock, log } = this.#deps;
    log.warn('an update was refused', { problem });
    const message = 'What the server offers was not signed by the publisher of this app. Nothing is installed.';
    return { reason: 'refused', failure: failureNow(clock, 'UPDATE_REFUSED', message) };
  }

  /** Returns when the license stops including new versions, if that was before this one's release. */
  #findEndOfUpdates(manifest: UpdateManifestClaims | null): string | null {
    const until = this.#deps.lease.claims?.updates_until;
    if (until === undefined || manifest === null || until >= manifest.released_at) return null;
    return toTimestamp(until * 1000);
  }

  async #install(restart: boolean, ending: AbortController): Promise<Done> {
    const { clock } = this.#deps;
    const checked = await this.#check(true);
    if (!checked.ok) return checked;
    const { available, reason } = this.state;
    const updater = reason === null ? this.#deps.updater : null;
    if (updater === null || available === null) {
      const message = 'There is no update that this installation can install by itself.';
      return fail(failureNow(clock, 'UPDATE_UNAVAILABLE', message));
    }
    const update = { feed: `${this.#asked}/updates`, version: available, files: this.#files };
    try {
      await this.#download(updater, update, ending);
      this.#show({ staged: available, progress: null });
      if (restart) this.#cancelRestart = clock.setTimer(restartAfterMs, () => void this.#finish(updater, true));
      return restart ? succeed(null) : await this.#finish(updater, false);
    } catch (error) {
      if (ending.signal.reason !== canceled) return this.#failInstallation(error);
      return fail(failureNow(clock, 'CANCELED', 'The update was canceled.'));
    }
  }

  async #download(updater: AppUpdater, update: UpdateDownload, ending: AbortController): Promise<void> {
    const cancelTimer = this.#deps.clock.setTimer(installDeadlineMs, () => ending.abort());
    const onProgress = (progress: FileProgress) => {
      if (!ending.signal.aborted) this.#show({ progress });
    };
    const download = updater.download(update, ending.signal, onProgress).then(() => ({ kind: 'downloaded' as const }));
    const { kind } = await orCanceled(download, ending.signal).finally(cancelTimer);
    if (kind !== 'canceled') return;
    // The next one may begin only once this one has ended.
    if (ending.signal.reason === canceled) await download;
    throw new Error('the download was canceled, the app has ended, or the download took too long');
  }

  async #finish(updater: AppUpdater, restart: boolean): Promise<Done> {
    try {
      await updater.install({ restart });
      return succeed(null);
    } catch (error) {
      return this.#failInstallation(error);
    }
  }

  #failInstallation(thrown: unknown): Done {
    const { clock, log, current } = this.#deps;
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    log.warn('the update was not installed', { error: error.message });
    const message = `The update was not installed. Version ${current} goes on.`;
    const failure = failureNow(clock, 'UPDATE_FAILED', message, installationProblem(error));
    this.#show({ staged: null, reason: 'install-failed', failure });
    return fail(failure);
  }

  async #store(stored: Stored): Promise<void> {
    this.#stored = stored;
    await this.#document.write(stored);
  }

  #show(change: Partial<UpdatesState>): void {
    this.#state = { ...this.#state, ...change };
    this.#deps.changes.notify();
  }
}

const connectionLost =
  /net::ERR_|ECONN|EPIPE|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|socket hang up|aborted|timed out|status 5\d\d/;

/** Returns why a download or an installation has failed, as far as the error says. */
function installationProblem(error: Error): Pick<Failure, 'fileProblem'> {
  if ('code' in error && error.code === 'ERR_CHECKSUM_MISMATCH') return { fileProblem: 'not-signed' };
  if (connectionLost.test(error.message)) return { fileProblem: 'connection-lost' };
  return fileProblemOf(error);
}

function unreachable({ failure }: { readonly failure: Failure }): NoAnswer {
  return { reason: 'unreachable', failure };
}

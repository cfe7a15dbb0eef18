/** Replays a support file: the real client with the recorded clock and responses, up to what the window showed. */
import type { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import type { KnownFacts, TimelineEntry } from '../../../shared/ipc/diagnostics.ts';
import { LeaseSigner } from '../../electron/licensing/lease-signer.ts';
import { compareShown, describeShown } from './compare-shown.ts';
import { makeUpLicenseKey } from './made-up-key.ts';
import type { Shown, SupportFile } from './read-support-file.ts';
import { ReplayClient } from './replay-client.ts';
import { ReplayClock } from './replay-clock.ts';
import { repeatCommand } from './replay-command.ts';
import { hasAskedServer, type RecordedRun, type Step, toRuns } from './replay-steps.ts';
import { type ReplayStore, seedLicense, seedStore } from './replay-store.ts';
import { describeStep, ReplayStory } from './replay-story.ts';
import { ServerTime } from './server-time.ts';

export type ReplayResult = {
  readonly story: readonly string[];
  /** Each difference as a sentence; empty if the client shows what the file says. */
  readonly differences: readonly string[];
  readonly steps: number;
  /** Number of responses in the file for which the client did not ask. */
  readonly unasked: number;
};

type DecisionEntry = Extract<TimelineEntry, { kind: 'decision' }>;

/** Replays the file. The same file always gives the same result. */
export async function replaySupportFile(file: SupportFile): Promise<ReplayResult> {
  return new Replay(file).run();
}

class Replay {
  readonly #file: SupportFile;
  readonly #clock = new ReplayClock();
  readonly #serverTime = new ServerTime(this.#clock);
  readonly #store: ReplayStore = { secrets: new Map(), plain: new Map() };
  readonly #story = new ReplayStory();
  readonly #signers = new Map<string, LeaseSigner>();
  #steps = 0;
  #unasked = 0;

  constructor(file: SupportFile) {
    this.#file = file;
  }

  async run(): Promise<ReplayResult> {
    const runs = toRuns(this.#file.timeline);
    let replayed: ReplayClient | undefined;
    let wasStopped = false;
    for (const run of runs) {
      if (!wasStopped && run.known) {
        seedStore(this.#store, this.#seedOf(run.known));
      }
      replayed = await this.#start(run);
      for (const step of run.steps) await this.#perform(replayed, step, run);
      wasStopped = run.steps.some(({ kind }) => kind === 'stop');
    }
    const shown = await this.#readShown(replayed as ReplayClient);
    const differences = compareShown(this.#file, shown, runs[0]?.wallMs ?? 0);
    return { story: this.#story.lines, differences, steps: this.#steps, unasked: this.#unasked };
  }

  async #start(run: RecordedRun): Promise<ReplayClient> {
    const kids = this.#file.timeline.flatMap(kidsIn);
    const common = { file: this.#file, clock: this.#clock, store: this.#store, serverTime: this.#serverTime };
    const replayed = new ReplayClient({ ...common, run, kids: [...new Set(kids)], signerOf: this.#signerOf });
    if (run.version === null && run.known) this.#serverTime.begin(run.known);
    const what = run.version === null ? 'the file begins, and the app runs' : `the app starts, version ${run.version}`;
    this.#story.tell(run.wallMs, what);
    await replayed.client.start();
    await this.#clock.settle();
    if (run.version === null) await replayed.recallServer();
    this.#story.tellChanges(run.wallMs, replayed.client.getState());
    return replayed;
  }

  async #perform(replayed: ReplayClient, step: Step, run: RecordedRun): Promise<void> {
    this.#steps += 1;
    await this.#clock.moveTo(step);
    const text = describeStep(step);
    if (step.kind !== 'decision') this.#story.tell(step.wallMs, text);
    if (step.kind !== 'command' || !isLostDoctor(step, run)) await this.#feed(replayed, step);
    await this.#clock.settle();
    if (step.kind === 'stop') return;
    const { client } = replayed;
    this.#story.tellChanges(step.wallMs, client.getState());
    if (step.kind === 'decision' && !isSame(client, step.entry)) this.#story.tell(step.wallMs, text);
  }

  async #feed(replayed: ReplayClient, step: Step): Promise<void> {
    const { client, platform } = replayed;
    switch (step.kind) {
      case 'answer':
        this.#seedAccount(step);
        if (await replayed.receive(step.answer)) return;
        this.#unasked += 1;
        this.#story.tell(step.wallMs, '    the client did not ask for it');
        return;
      case 'command':
        return repeatCommand(step.entry, { client, licenseKey: this.#licenseKey(), signerOf: this.#signerOf });
      case 'clock':
        this.#clock.sleep(step.entry.slept_ms ?? 0);
        return;
      case 'sleep':
        platform.suspend();
        replayed.isAsleep = true;
        return;
      case 'wake':
        replayed.isAsleep = false;
        platform.wake();
        return;
      case 'stop':
        return client.stop();
      case 'decision':
        if (!isSame(client, step.entry)) await replayed.askAgain();
        return;
    }
  }

  /** What the client found about an account that signs in is known only once the sign-in is done. */
  #seedAccount({ answer, wallMs }: Extract<Step, { kind: 'answer' }>): void {
    const accountId = answer.said?.account_id;
    const later = this.#file.timeline.filter(({ at, kind }) => kind === 'command' && Date.parse(at) >= wallMs);
    const known = later.find((entry) => entry.known && entry.known.account_id === accountId)?.known;
    if (accountId !== undefined && known) seedLicense(this.#store, this.#seedOf(known));
  }

  #seedOf(known: KnownFacts) {
    return { known, file: this.#file, signerOf: this.#signerOf };
  }

  /** Returns a key with the preview that the file shows next. */
  #licenseKey(): string {
    const nowMs = this.#clock.now();
    const later = this.#file.timeline.filter(({ at }) => Date.parse(at) >= nowMs);
    const known = later.find((entry) => entry.known?.key_preview)?.known?.key_preview;
    return makeUpLicenseKey(known ?? this.#file.license.key_preview ?? 'SVC-0000...0000');
  }

  /** Returns what the window would show when the file was created. */
  async #readShown({ client }: ReplayClient): Promise<Shown> {
    const wallMs = Date.parse(this.#file.made_at);
    await this.#clock.moveTo({
      wallMs,
      monotonicMs: this.#clock.monotonic() + Math.max(0, wallMs - this.#clock.now()),
    });
    this.#story.tellChanges(wallMs, client.getState());
    const explained = await client.explainFeatures();
    return describeShown(client.getState(), explained.ok ? explained.value : []);
  }

  readonly #signerOf = (kid: string): LeaseSigner => {
    const signer = this.#signers.get(kid) ?? new LeaseSigner(kid);
    this.#signers.set(kid, signer);
    return signer;
  };
}

/** Returns true for a run of the connection doctor that did not reach the server and therefore changed nothing. */
function isLostDoctor(step: Extract<Step, { kind: 'command' }>, run: RecordedRun): boolean {
  const isDoctor = ['runDoctor', 'supportFile'].includes(step.entry.command);
  return isDoctor && !hasAskedServer(run, step, step.entry.took_ms ?? 0);
}

function kidsIn(entry: TimelineEntry): string[] {
  const kid =
    entry.kind === 'answer' ? entry.said?.lease?.kid : entry.kind === 'command' ? entry.lease?.kid : undefined;
  return [entry.known?.lease?.kid ?? [], kid ?? []].flat();
}

/** Returns true if the client has made the decision that the file contains. */
function isSame(client: LicensingClient, { license, features_on }: DecisionEntry): boolean {
  const { features, license: shown } = client.getState();
  const on = features.flatMap((state) => (state.on ? [state.feature] : []));
  return shown.kind === license && JSON.stringify(on) === JSON.stringify(features_on);
}

/** Looks for leaked keys in texts, files and folders on this machine, and reports leaked API keys to the server. */
import { previewApiKey } from '../../shared/formats/api-key.ts';
import { previewLicenseKey } from '../../shared/formats/license-key.ts';
import type { KeyScanProgress, KeyScanReport, KeyScanState, LeakedKey } from '../../shared/ipc/key-scan.ts';
import { type Done, type Failure, fail, type Result, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ApiClient } from './api-client.ts';
import type { ApiKey } from './api-key.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import { failureNow, toTimestamp } from './failure.ts';
import { KeyScan, type ScanInput } from './key-scan.ts';
import type { FoundKey } from './key-scanner.ts';
import { orCanceled } from './or-canceled.ts';
import type { Clock, Files } from './platform.ts';

type LeakedKeysDeps = {
  readonly api: ApiClient;
  readonly apiKey: ApiKey;
  readonly files: Files;
  readonly activity: ActivityLog;
  readonly clock: Clock;
  readonly changes: ChangeNotifier;
};

export type ScanOptions = {
  readonly signal?: AbortSignal;
  /** Called at most ten times a second. */
  readonly onProgress?: (progress: KeyScanProgress) => void;
};

const progressIntervalMs = 100;

export class LeakedKeys {
  readonly #deps: LeakedKeysDeps;
  #state: KeyScanState = { kind: 'idle' };
  /** Keys of the last scan by id, in memory only. */
  readonly #keys = new Map<number, string>();
  #nextId = 1;
  /** The scan in progress; a later one cancels it. */
  #current: AbortController | null = null;

  constructor(deps: LeakedKeysDeps) {
    this.#deps = deps;
  }

  get state(): KeyScanState {
    return this.#state;
  }

  /**
   * Sends and stores nothing that it reads. Fails with FILE_UNREADABLE if none of the paths can be read, or with
   * CANCELED.
   */
  async scan(input: ScanInput, { signal, onProgress }: ScanOptions = {}): Promise<Result<KeyScanReport>> {
    const { clock, files } = this.#deps;
    this.forget();
    const current = new AbortController();
    this.#current = current;
    const cancel = () => {
      if (this.#current === current) this.cancel();
    };
    signal?.addEventListener('abort', cancel);
    this.#show({ kind: 'scanning', files: 0, bytes: 0, found: 0, file: null });
    if (signal?.aborted) cancel();
    let reportedAtMs = Number.NEGATIVE_INFINITY;
    const scan = new KeyScan({
      files,
      signal: current.signal,
      onProgress: (progress) => {
        const nowMs = clock.monotonic();
        if (current.signal.aborted || nowMs - reportedAtMs < progressIntervalMs) return;
        reportedAtMs = nowMs;
        this.#show({ kind: 'scanning', ...progress });
        onProgress?.(progress);
      },
    });
    const outcome = await orCanceled(scan.run(input), current.signal);
    signal?.removeEventListener('abort', cancel);
    if (outcome.kind === 'canceled') return fail(failureNow(clock, 'CANCELED', 'The scan was canceled.'));
    this.#current = null;
    if (outcome.kind === 'unreadable') return this.#fail(outcome.why);
    const { kind: _, found, ...counts } = outcome;
    const report = { ...counts, keys: found.map((key) => this.#hide(key)) };
    this.#show({ kind: 'done', ...report, checkedAt: toTimestamp(clock.now()) });
    return succeed(report);
  }

  cancel(): void {
    if (!this.#current) return;
    this.#current.abort();
    this.#current = null;
    this.#show({ kind: 'idle' });
  }

  /** Discards the results of the last scan. */
  forget(): void {
    this.cancel();
    this.#keys.clear();
    this.#show({ kind: 'idle' });
  }

  /**
   * Reports an API key of the last scan, which the server revokes if it is one of its own; needs no sign-in. The server
   * does not say whether it was.
   */
  async report(id: number): Promise<Done> {
    const { api, activity, clock, apiKey } = this.#deps;
    const key = this.#keys.get(id);
    if (key === undefined)
      return fail(failureNow(clock, 'NOT_FOUND', 'The last scan found no API key of this number.'));
    const result = await api.call('reportApiKey', { body: { api_key: key } });
    if (result.kind !== 'success') return fail(result.failure);
    activity.add('leaked-key-reported', previewApiKey(key));
    this.#markReported(key);
    // It may be this account's own key.
    await apiKey.check();
    return succeed(null);
  }

  /** An API key is kept in full so that it can be reported. */
  #hide({ kind, key, file, line, column }: FoundKey & Pick<LeakedKey, 'file'>): LeakedKey {
    const id = this.#nextId++;
    if (kind === 'api_key') this.#keys.set(id, key);
    const preview = kind === 'api_key' ? previewApiKey(key) : previewLicenseKey(key);
    return { id, file, line, column, kind, preview, reported: false };
  }

  #markReported(key: string): void {
    if (this.#state.kind !== 'done') return;
    const keys = this.#state.keys.map((each) => (this.#keys.get(each.id) === key ? { ...each, reported: true } : each));
    this.#show({ ...this.#state, keys });
  }

  #fail(why: Pick<Failure, 'fileProblem'>) {
    const failure = failureNow(this.#deps.clock, 'FILE_UNREADABLE', 'The file or folder cannot be read.', why);
    this.#show({ kind: 'failed', failure });
    return fail(failure);
  }

  #show(state: KeyScanState): void {
    this.#state = state;
    this.#deps.changes.notify();
  }
}

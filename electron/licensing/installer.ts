/** Verifies an installer file against the hashes that the server publishes. */
import {
  type InstallerByHash,
  type InstallerHashes,
  type InstallerPlatform,
  installerPlatforms,
} from '../../shared/api/installer.ts';
import { normalizeInstallerHash } from '../../shared/formats/installer-hash.ts';
import type { InstallerState } from '../../shared/ipc/app-state.ts';
import { type Done, type Failure, fail, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ApiClient } from './api-client.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import { failureNow, toTimestamp } from './failure.ts';
import { fileProblemOf } from './file-problem.ts';
import { orCanceled } from './or-canceled.ts';
import type { Clock, FileHashOutcome, Files } from './platform.ts';

type InstallerVerifierDeps = {
  readonly api: ApiClient;
  readonly files: Files;
  readonly clock: Clock;
  readonly activity: ActivityLog;
  readonly changes: ChangeNotifier;
};

export class InstallerVerifier {
  readonly #deps: InstallerVerifierDeps;
  #state: InstallerState = { kind: 'idle' };
  /** The verification in progress; a later one cancels it. */
  #current: AbortController | null = null;

  constructor(deps: InstallerVerifierDeps) {
    this.#deps = deps;
  }

  get state(): InstallerState {
    return this.#state;
  }

  /** Loads the published hashes, hashes the file and compares. Succeeds with any result, including "not genuine". */
  async verify(path: string): Promise<Done> {
    this.cancel();
    const current = new AbortController();
    this.#current = current;
    const fileName = path.split(/[\\/]/).pop() ?? path;
    this.#show({ kind: 'verifying', fileName, doneBytes: 0, totalBytes: 0, bytesPerSecond: 0 });

    const published = await orCanceled(this.#deps.api.call('installerHashes'), current.signal);
    if (published.kind === 'canceled') return this.#canceled(current, fileName);
    if (published.kind === 'unsupported') return this.#showNotPublished();
    if (published.kind !== 'success') return this.#showFailure(current, fileName, published.failure);

    const hashed = await orCanceled(this.#hash(path, fileName, current), current.signal);
    if (hashed.kind === 'canceled') return this.#canceled(current, fileName);
    if (hashed.kind !== 'hashed') return this.#showFailure(current, fileName, this.#hashFailure(path, hashed));
    const hash = normalizeInstallerHash(hashed.sha256) ?? `sha256:${hashed.sha256}`;
    const platform = findPlatform(hash, published.response);
    const file = { fileName, hash, bytes: hashed.bytes, published: published.response };
    if (platform) return this.#showResult({ ...file, platform });

    const params = { sha256: hash.slice('sha256:'.length) };
    const earlier = await orCanceled(this.#deps.api.call('installerByHash', { params }), current.signal);
    if (earlier.kind === 'canceled') return this.#canceled(current, fileName);
    if (earlier.kind === 'unsupported') return this.#showResult(file);
    if (earlier.kind !== 'success') return this.#showFailure(current, fileName, earlier.failure);
    return this.#showResult({ ...file, earlier: earlier.response });
  }

  /** Verifies the installer file of this installation. */
  async verifyOwn(): Promise<Done> {
    const { files, clock } = this.#deps;
    const path = await files.findOwnInstaller();
    if (path !== null) return this.verify(path);
    const failure = failureNow(clock, 'OWN_INSTALLER_UNKNOWN', 'The installer file of this installation is unknown.');
    this.#show({ kind: 'failed', fileName: null, failure });
    return fail(failure);
  }

  cancel(): void {
    if (!this.#current) return;
    this.#current.abort();
    this.#current = null;
    this.#show({ kind: 'idle' });
  }

  /** Clears the last result, which belonged to the account that has signed out. */
  forget(): void {
    this.cancel();
    this.#show({ kind: 'idle' });
  }

  #hash(path: string, fileName: string, current: AbortController): Promise<FileHashOutcome> {
    const { files, clock } = this.#deps;
    const startedAtMs = clock.monotonic();
    const onProgress = (doneBytes: number, totalBytes: number) => {
      if (this.#current !== current) return;
      const seconds = (clock.monotonic() - startedAtMs) / 1000;
      const bytesPerSecond = seconds > 0 ? Math.round(doneBytes / seconds) : 0;
      this.#show({ kind: 'verifying', fileName, doneBytes, totalBytes, bytesPerSecond });
    };
    return files.hashFile(path, { signal: current.signal, onProgress });
  }

  #canceled(current: AbortController, fileName: string): Done {
    return this.#showFailure(
      current,
      fileName,
      failureNow(this.#deps.clock, 'CANCELED', 'The verification was canceled.'),
    );
  }

  /** Shows the failure unless the verification was canceled or replaced. */
  #showFailure(current: AbortController, fileName: string, failure: Failure): Done {
    if (this.#current === current) {
      this.#current = null;
      this.#show({ kind: 'failed', fileName, failure });
    }
    return fail(failure);
  }

  #hashFailure(path: string, hashed: UnhashedFile): Failure {
    const { clock } = this.#deps;
    if (hashed.kind === 'unreadable') {
      return failureNow(clock, 'FILE_UNREADABLE', 'The file cannot be read.', fileProblemOf(hashed.message, path));
    }
    return failureNow(clock, 'NOT_A_FILE', 'This is a folder or a device, not a file.');
  }

  #showNotPublished(): Done {
    const { clock } = this.#deps;
    this.#current = null;
    this.#show({ kind: 'not-published', checkedAt: toTimestamp(clock.now()) });
    return fail(failureNow(clock, 'INSTALLER_NOT_PUBLISHED', 'The server publishes no installer hashes.'));
  }

  #showResult({ fileName, hash, bytes, published, platform, earlier }: Compared): Done {
    this.#current = null;
    const { clock, activity } = this.#deps;
    const file = { fileName, hash, bytes, checkedAt: toTimestamp(clock.now()) };
    const { version } = published;
    if (platform) {
      this.#show({ kind: 'genuine', ...file, version, platform, newerVersion: null });
    } else if (earlier?.known) {
      const newerVersion = earlier.version === version ? null : version;
      this.#show({ kind: 'genuine', ...file, version: earlier.version, platform: earlier.platform, newerVersion });
    } else {
      this.#show({ kind: 'not-genuine', ...file, version, earlierKnown: earlier !== undefined });
    }
    activity.add(this.#state.kind === 'genuine' ? 'installer-genuine' : 'installer-not-genuine', fileName);
    return succeed(null);
  }

  #show(state: InstallerState): void {
    this.#state = state;
    this.#deps.changes.notify();
  }
}

type UnhashedFile = Extract<FileHashOutcome, { kind: 'unreadable' | 'not-a-file' }>;

/** A file, and what the server says about its hash. */
type Compared = {
  readonly fileName: string;
  readonly hash: string;
  readonly bytes: number;
  readonly published: InstallerHashes;
  /** Platform of the published version; missing if the file is not part of it. */
  readonly platform?: InstallerPlatform;
  /** What the server knows about earlier versions; missing if it cannot be asked. */
  readonly earlier?: InstallerByHash;
};

/** Returns the platform with this published hash. */
function findPlatform(hash: string, { hashes }: InstallerHashes): InstallerPlatform | null {
  return installerPlatforms.find((platform) => hashes[platform] === hash) ?? null;
}

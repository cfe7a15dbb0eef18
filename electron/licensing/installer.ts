/** Verifies an installer file against the hashes that the server publishes. */
import { type InstallerHashes, type InstallerPlatform, installerPlatforms } from '../../shared/api/installer.ts';
import { normaliseInstallerHash } from '../../shared/formats/installer-hash.ts';
import type { InstallerState } from '../../shared/ipc/app-state.ts';
import { type Done, type Failure, fail, succeed } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ApiClient } from './api-client.ts';
import { failureNow, instantOf } from './failure.ts';
import type { Clock, Files } from './platform.ts';

export type Installer = {
  readonly state: () => InstallerState;
  /** Fetches the hashes, hashes the file, compares. Another verification under way is canceled. */
  readonly verify: (path: string) => Promise<Done>;
  /** Verifies the installer that this installation came from. */
  readonly verifyOwn: () => Promise<Done>;
  readonly cancel: () => void;
  /** Forgets the last verdict, which belonged to the account that has left. */
  readonly forget: () => void;
};

export type InstallerParts = {
  readonly api: ApiClient;
  readonly files: Files;
  readonly clock: Clock;
  readonly activity: ActivityLog;
  readonly onChange: () => void;
};

/** Nothing verified yet. */
export function createInstaller(parts: InstallerParts): Installer {
  const { api, files, clock, activity } = parts;
  let state: InstallerState = { kind: 'idle' };
  let current: AbortController | null = null;

  function show(next: InstallerState): void {
    state = next;
    parts.onChange();
  }

  function cancel(): void {
    if (!current) return;
    current.abort();
    current = null;
    show({ kind: 'idle' });
  }

  /** Ends the verification `mine` with a failure, unless it was canceled or another one has taken its place. */
  function end(mine: AbortController, fileName: string, failure: Failure): Done {
    if (current === mine) {
      current = null;
      show({ kind: 'failed', fileName, failure });
    }
    return fail(failure);
  }

  async function verify(path: string): Promise<Done> {
    cancel();
    const mine = new AbortController();
    current = mine;
    const fileName = path.split(/[\\/]/).pop() ?? path;
    show({ kind: 'verifying', fileName, doneBytes: 0, totalBytes: 0, bytesPerSecond: 0 });
    const canceled = () => end(mine, fileName, failureNow(clock, 'CANCELED', 'The verification was canceled.'));

    const outcome = await api.call('installerHashes');
    if (mine.signal.aborted) return canceled();
    if (outcome.kind === 'missing') {
      current = null;
      show({ kind: 'not-published', checkedAt: instantOf(clock.now()) });
      return fail(failureNow(clock, 'INSTALLER_NOT_PUBLISHED', 'The server publishes no installer hashes.'));
    }
    if (outcome.kind !== 'answer') return end(mine, fileName, outcome.failure);

    const startedAtMs = clock.monotonic();
    const hashed = await files.hashFile(path, {
      signal: mine.signal,
      onProgress: (doneBytes, totalBytes) => {
        if (current !== mine) return;
        const seconds = (clock.monotonic() - startedAtMs) / 1000;
        const bytesPerSecond = seconds > 0 ? Math.round(doneBytes / seconds) : 0;
        show({ kind: 'verifying', fileName, doneBytes, totalBytes, bytesPerSecond });
      },
    });
    switch (hashed.kind) {
      case 'canceled':
        return canceled();
      case 'unreadable':
        return end(mine, fileName, failureNow(clock, 'FILE_UNREADABLE', 'The file cannot be read.'));
      case 'hashed':
        if (mine.signal.aborted) return canceled();
        current = null;
        showVerdict(fileName, hashed.sha256, outcome.answer);
        return succeed(null);
    }
  }

  function showVerdict(fileName: string, sha256: string, published: InstallerHashes): void {
    const hash = normaliseInstallerHash(sha256) ?? `sha256:${sha256}`;
    const platform = platformWith(hash, published);
    const verdict = { fileName, version: published.version, hash, checkedAt: instantOf(clock.now()) };
    activity.add(platform ? 'installer-genuine' : 'installer-not-genuine', fileName);
    show(platform ? { kind: 'genuine', ...verdict, platform } : { kind: 'not-genuine', ...verdict });
  }

  return {
    state: () => state,
    verify,
    verifyOwn: async () => {
      const path = await files.findOwnInstaller();
      if (path !== null) return verify(path);
      const failure = failureNow(clock, 'OWN_INSTALLER_UNKNOWN', 'This installation does not know its installer file.');
      show({ kind: 'failed', fileName: null, failure });
      return fail(failure);
    },
    cancel,
    forget: () => {
      cancel();
      show({ kind: 'idle' });
    },
  };
}

/** The platform whose published hash this is. */
function platformWith(hash: string, { hashes }: InstallerHashes): InstallerPlatform | null {
  return installerPlatforms.find((platform) => hashes[platform] === hash) ?? null;
}

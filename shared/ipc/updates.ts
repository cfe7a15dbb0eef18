/** State of app updates, as the window shows it. */
import type { Failure } from './result.ts';

/** How an installation gets new versions; only `self` installs them itself. */
const installationKinds = ['self', 'system-package', 'snap', 'flatpak', 'portable', 'not-packaged'] as const;
export type InstallationKind = (typeof installationKinds)[number];

/** Why there is no version to install, or why the app does not install it itself. */
export type UpdateReason =
  | 'up-to-date'
  /** The server offers no version at all. */
  | 'not-published'
  | 'unreachable'
  /** The offered version was not signed by the app's publisher. */
  | 'refused'
  /** The server offers an older version than before: a replayed offer or a withdrawn version. */
  | 'older-than-seen'
  | 'not-for-this-platform'
  /** The version is being rolled out, and this device is not included yet. */
  | 'not-rolled-out'
  /** The publisher has stopped the version. */
  | 'stopped'
  /** The app was built without the publisher's keys and cannot verify updates. */
  | 'no-keys'
  | 'install-failed'
  | Exclude<InstallationKind, 'self'>;

/** Progress and speed of work on a file. */
export type FileProgress = Readonly<Record<'doneBytes' | 'totalBytes' | 'bytesPerSecond', number>>;

export type UpdatesState = {
  /** The running version. */
  readonly current: string;
  /** A newer version; it can be installed if `reason` is `null` or `install-failed`. */
  readonly available: string | null;
  /** The downloaded and verified version. */
  readonly staged: string | null;
  readonly reason: UpdateReason | null;
  /** ISO 8601 UTC; `null` before the first answer. */
  readonly checkedAt: string | null;
  readonly working: 'checking' | 'installing' | null;
  /** Download progress. */
  readonly progress: FileProgress | null;
  /** End of the license's updates, if the available version was released later: its features stop. */
  readonly featuresStopAfter: string | null;
  /** Failure of the last check or installation. */
  readonly failure: Failure | null;
};

/** Returns the state of an app that has not checked yet, or of a page that is not an app. */
export function noUpdates(current: string): UpdatesState {
  const nothing = { available: null, staged: null, reason: null, checkedAt: null, working: null, progress: null };
  return { current, ...nothing, featuresStopAfter: null, failure: null };
}

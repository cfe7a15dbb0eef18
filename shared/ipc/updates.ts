/** What the window shows of updates of the app. */
import type { FileProgress } from './file-progress.ts';
import type { Failure } from './result.ts';

/** How new versions reach an installation; only one of the kind `self` installs them itself. */
export const installationKinds = ['self', 'system-package', 'snap', 'flatpak', 'portable', 'not-packaged'] as const;
export type InstallationKind = (typeof installationKinds)[number];

/** Why there is no version to install, or why the app does not install the one that there is. */
export type UpdateReason =
  | 'up-to-date'
  /** The server offers no version at all. */
  | 'not-published'
  | 'unreachable'
  /** What the server offers was not signed by the publisher of the app. */
  | 'refused'
  /** The server offers less than it did: an old offer played again, or a version that was withdrawn. */
  | 'older-than-seen'
  | 'not-for-this-platform'
  /** Only some devices are offered the version so far, and this one is not among them. */
  | 'not-rolled-out'
  /** The publisher has stopped the version. */
  | 'stopped'
  /** The app was built without the publisher's keys, so it cannot tell a genuine update. */
  | 'no-keys'
  | 'install-failed'
  | Exclude<InstallationKind, 'self'>;

export type UpdatesState = {
  /** The version that runs. */
  readonly current: string;
  /** A newer version, which can be installed if `reason` is `null` or `install-failed`. */
  readonly available: string | null;
  /** The version that is downloaded and verified. */
  readonly staged: string | null;
  readonly reason: UpdateReason | null;
  /** ISO 8601 UTC; `null` before the first answer. */
  readonly checkedAt: string | null;
  readonly working: 'checking' | 'installing' | null;
  /** While a version is downloaded. */
  readonly progress: FileProgress | null;
  /** Until when the license includes new versions, where the available one was released later: its features stop. */
  readonly featuresStopAfter: string | null;
  /** Of the last check or installation. */
  readonly failure: Failure | null;
};

/** Of an app that has not checked, and of a page that is no app. */
export function noUpdates(current: string): UpdatesState {
  const nothing = { available: null, staged: null, reason: null, checkedAt: null, working: null, progress: null };
  return { current, ...nothing, featuresStopAfter: null, failure: null };
}

/** What the window shows: one snapshot, made in main, never holding a token, a key or the raw machine id. */

import type { User } from '../api/auth.ts';
import type { FeatureFlag, Features } from '../api/features.ts';
import type { InstallerPlatform } from '../api/installer.ts';
import type { DeviceActivity } from '../api/license.ts';
import type { Subscription } from '../api/subscription.ts';
import type { LinkName } from './links.ts';
import type { Failure } from './result.ts';
import type { Settings } from './settings.ts';

/** An instant as ISO 8601 UTC. */
export type Instant = string;

/** The first sentence that a person reads. Exactly one is true at a time; the window turns it into words. */
export type LicenseState =
  /** Not asked yet, or nothing conclusive known. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'works'; readonly plan: string; readonly until: Instant | null }
  /** The last conclusive answer was good and stands until its grace ends. */
  | {
      readonly kind: 'offline';
      readonly plan: string;
      readonly since: Instant;
      readonly worksUntil: Instant;
    }
  /** Offline for longer than the grace period: nothing works until the server is reached again. */
  | { readonly kind: 'offline-ended'; readonly since: Instant }
  | { readonly kind: 'not-activated' }
  | { readonly kind: 'no-license' }
  | { readonly kind: 'blocked'; readonly reason: BlockedReason };

/** Why a license gives nothing, from the code of a conclusive `valid: false`. */
export type BlockedReason = 'revoked' | 'expired' | 'suspended' | 'subscription-ended' | 'not-found';

/** Why a feature is off. */
export type FeatureOffReason =
  /** The plan lacks it; `availableOn` is the smallest plan known to have it. */
  | { readonly kind: 'plan'; readonly plan: string; readonly availableOn: string }
  /** The license state that takes everything away. */
  | { readonly kind: 'license'; readonly license: LicenseState }
  | { readonly kind: 'signed-out' };

export type FeatureState =
  | { readonly feature: FeatureFlag; readonly on: true }
  | { readonly feature: FeatureFlag; readonly on: false; readonly reason: FeatureOffReason };

/** Whether the server answers. */
export type Reachability =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'online' }
  | {
      readonly kind: 'offline';
      readonly since: Instant;
      readonly nextTryAt: Instant | null;
      readonly failure: Failure;
    };

/** What the server can do beyond the bare interface; `unknown` until it was asked once. */
export type Capability = 'unknown' | 'available' | 'missing';

export type ServerState = {
  readonly address: string;
  readonly reachability: Reachability;
  readonly deviceList: Capability;
};

/** Where the session is; only a conclusive answer of the server ends one. */
export type SessionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'signed-out'; readonly because: SignedOutBecause | null }
  | { readonly kind: 'signed-in'; readonly user: User; readonly account: AccountState | null };

/** Why nobody is signed in any more, where the person did not ask for it. */
export type SignedOutBecause = 'session-expired' | 'session-revoked' | 'store-unreadable' | 'server-changed';

/** The last answer of `/subscription/status`. */
export type AccountState = {
  readonly hasSubscription: boolean;
  readonly subscription: Subscription | null;
  readonly license: LicenseSummary | null;
  readonly features: Features;
  readonly checkedAt: Instant;
};

export type LicenseSummary = {
  readonly keyPreview: string;
  readonly plan: string;
  readonly status: string;
  readonly activations: number;
  /** 0 where the server did not tell. */
  readonly maxActivations: number;
};

export type ThisDevice = {
  readonly deviceId: string;
  readonly name: string;
  readonly platform: string;
  readonly activated: boolean;
  /** The activation of this device, where the server told it. */
  readonly activationId: string | null;
  /** The license that this device holds, as its preview. */
  readonly license: LicenseSummary | null;
};

export type Device = {
  readonly activationId: string;
  readonly keyPreview: string;
  readonly deviceId: string;
  readonly name: string;
  readonly platform: string;
  readonly activatedAt: Instant;
  readonly lastSeenAt: Instant;
  readonly activity: DeviceActivity;
  readonly isThisDevice: boolean;
};

/** Something loaded on demand: unknown is not absent, and a failed reload keeps what was known. */
export type Loaded<T> = {
  readonly value: T | null;
  readonly loading: boolean;
  readonly failure: Failure | null;
};

export type ApiKeyState = {
  readonly prefix: string;
  readonly isLegacy: boolean;
  readonly createdAt: Instant;
  /** A key generated just now waits in main until the person says that it is saved. */
  readonly unsaved: boolean;
};

export type HeartbeatState = {
  readonly lastAt: Instant | null;
  readonly nextAt: Instant | null;
  readonly lastFailure: Failure | null;
};

export type InstallerState =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'verifying';
      readonly fileName: string;
      readonly doneBytes: number;
      readonly totalBytes: number;
      readonly bytesPerSecond: number;
    }
  | {
      readonly kind: 'genuine';
      readonly fileName: string;
      readonly version: string;
      readonly platform: InstallerPlatform;
      readonly hash: string;
      readonly checkedAt: Instant;
    }
  | {
      readonly kind: 'not-genuine';
      readonly fileName: string;
      readonly version: string;
      readonly hash: string;
      readonly checkedAt: Instant;
    }
  /** The server publishes no hashes, so nothing can be said. */
  | { readonly kind: 'not-published'; readonly checkedAt: Instant }
  | { readonly kind: 'failed'; readonly fileName: string | null; readonly failure: Failure };

/** A warning for the person; `id` stays the same while its cause does. */
export type Warning = { readonly id: string; readonly text: string; readonly since: Instant };

export const activityKinds = [
  'signed-in',
  'signed-out',
  'session-ended',
  'license-checked',
  'license-refused',
  'device-activated',
  'device-released',
  'heartbeat',
  'heartbeat-warning',
  'went-offline',
  'back-online',
  'api-key-generated',
  'installer-genuine',
  'installer-not-genuine',
  'history-exported',
] as const;

export type ActivityKind = (typeof activityKinds)[number];

/** One line of the activity list, newest first; `detail` is a short fact, e.g. a device's name or a code. */
export type ActivityEntry = {
  readonly id: number;
  readonly at: Instant;
  readonly kind: ActivityKind;
  readonly detail: string | null;
};

/** How secrets are kept on this machine. */
export type SecretStorage =
  /** The system's keyring. */
  | 'keyring'
  /** No keyring: the person is asked once. */
  | 'ask'
  /** No keyring, and the person chose to stay signed in: encrypted under a key beside the file. */
  | 'file'
  /** No keyring, and the person chose that nothing is kept. */
  | 'memory';

export type AppInfo = {
  readonly version: string;
  readonly platform: string;
  /** Where the window runs; only Electron itself has a tray, native notifications and a start at login. */
  readonly runtime: 'electron' | 'browser-host';
  /** Whether this installation knows the installer file it came from. */
  readonly ownInstaller: boolean;
  /** The pages that whoever ships the app has named. */
  readonly links: readonly LinkName[];
};

export type AppState = {
  readonly app: AppInfo;
  readonly server: ServerState;
  readonly session: SessionState;
  readonly license: LicenseState;
  readonly features: readonly FeatureState[];
  readonly thisDevice: ThisDevice | null;
  readonly devices: Loaded<readonly Device[]>;
  /** What is known of the account's key; `null` where this device has not seen one yet. */
  readonly apiKey: ApiKeyState | null;
  readonly heartbeat: HeartbeatState;
  readonly installer: InstallerState;
  readonly warnings: readonly Warning[];
  readonly activity: readonly ActivityEntry[];
  readonly secretStorage: SecretStorage;
  readonly settings: Settings;
  /** A check with the server is under way. */
  readonly checking: boolean;
};

/**
 * The window's state: a snapshot made in the main process, which never contains a token, a key or the raw machine id.
 */
import type { SignUpMode } from '../api/about.ts';
import type { User } from '../api/auth.ts';
import type { Features, FeatureText } from '../api/features.ts';
import type { InstallerPlatform } from '../api/installer.ts';
import type { DeviceActivity } from '../api/license.ts';
import type { Subscription } from '../api/subscription.ts';
import type { LeaseProblem } from '../lease.ts';
import type { DoctorProgress } from './doctor.ts';
import type { KeyScanState } from './key-scan.ts';
import type { LinkName } from './links.ts';
import type { Failure, FileProblem } from './result.ts';
import type { Settings } from './settings.ts';
import type { FileProgress, UpdatesState } from './updates.ts';

/** An instant as ISO 8601 UTC. */
export type Timestamp = string;

/** License state of this device, shown at the top; the window has a message for each. */
export type LicenseState =
  /** Nothing conclusive is known yet. */
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'works';
      readonly plan: string;
      /** End of the subscription period. */
      readonly until: Timestamp | null;
      /** Until when it works without the server; `null` if unknown. */
      readonly worksUntil: Timestamp | null;
    }
  /** The last conclusive response was good, and holds until the grace period ends. */
  | {
      readonly kind: 'offline';
      readonly plan: string;
      readonly since: Timestamp;
      readonly worksUntil: Timestamp;
    }
  /** Offline beyond the grace period: nothing works until the server is reachable again. */
  | { readonly kind: 'offline-ended'; readonly since: Timestamp }
  /** Activated, but nothing works until the server has signed a lease for this device. */
  | { readonly kind: 'waiting-for-lease' }
  | { readonly kind: 'not-activated' }
  | { readonly kind: 'no-license' }
  | { readonly kind: 'blocked'; readonly reason: BlockedReason };

/** State of this machine's clock compared with the server's time. */
export type ClockState =
  /** Correct, or not known to be wrong. */
  | 'in-sync'
  | 'ahead'
  | 'behind'
  /**
   * The grace period has ended only by this clock: if it is wrong, correcting it makes everything work again.
   */
  | 'maybe-ahead'
  /** The last check has a future date, so its age is unknown; nothing works offline until the next one. */
  | 'contradictory';

/** Why a license grants nothing, from the code of a conclusive `valid: false`. */
export type BlockedReason = 'revoked' | 'expired' | 'suspended' | 'subscription-ended' | 'not-found';

/** Why a feature is off. */
export type FeatureOffReason =
  /** The plan lacks it; `availableOn` is the smallest plan known to have it, or `null`. */
  | { readonly kind: 'plan'; readonly plan: string; readonly availableOn: string | null }
  /** The license state turns all features off. */
  | { readonly kind: 'license'; readonly license: LicenseState }
  | { readonly kind: 'waiting-for-lease' }
  | { readonly kind: 'signed-out' };

export type FeatureState =
  | { readonly feature: string; readonly on: true }
  | { readonly feature: string; readonly on: false; readonly reason: FeatureOffReason };

/** This device's lease, signed by the server, which lets it work offline. */
export type LeaseInfo = {
  /** `unusable`: a lease exists but is not accepted; `problem` says why. */
  readonly state: 'none' | 'good' | 'expired' | 'unusable';
  /** May also refer to a later lease that is not used while an earlier one is good. */
  readonly problem: LeaseProblem | 'other_account' | null;
  readonly kid: string | null;
  /** Source of the keys that verify leases. */
  readonly keys: 'built-in' | 'file' | 'first-use';
  readonly license: string | null;
  readonly issuedAt: Timestamp | null;
  readonly renewAfter: Timestamp | null;
  readonly expiresAt: Timestamp | null;
};

/** Whether the server responds. */
export type Reachability =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'online' }
  | {
      readonly kind: 'offline';
      readonly since: Timestamp;
      readonly nextTryAt: Timestamp | null;
      readonly failure: Failure;
    };

/** Whether the server has an extension; `unknown` before the first request. */
export type Capability = 'unknown' | 'available' | 'missing';

export type ServerState = {
  /** `null` until the user has chosen a server, if the app has no default. */
  readonly address: string | null;
  readonly reachability: Reachability;
  /** Time of its last response, if known. */
  readonly lastAnswerAt: Timestamp | null;
  readonly deviceList: Capability;
  /** Whether the server signs leases. */
  readonly leases: Capability;
  /** Whether users can list their sessions and change their password. */
  readonly accountManagement: Capability;
  /** Whether the server mails links for a forgotten password. */
  readonly passwordReset: Capability;
  /** Whether users can change and confirm their email address. */
  readonly emailChange: Capability;
  /** The offers that the server declares; `null` if it declares none, or has not been asked yet. */
  readonly offers: ServerOffers | null;
};

/** See `/about`. */
export type ServerOffers = {
  readonly signUp: SignUpMode;
  /** Minimum length of a new password, in characters. */
  readonly passwordMinLength: number;
  readonly mail: boolean;
  readonly leases: boolean;
  readonly accountPage: boolean;
};

/** A session ends only by a conclusive server response or by the user. */
export type SessionState =
  | { readonly kind: 'starting' }
  /** `email`: whose session has ended by itself. */
  | { readonly kind: 'signed-out'; readonly reason: SignedOutReason | null; readonly email?: string }
  | {
      readonly kind: 'signed-in';
      readonly user: User;
      readonly account: AccountState | null;
      /** Set while the session is not on disk, e.g. because that is full: the next start would not find it. */
      readonly isUnsaved?: true;
      /** Why, as far as the system says. */
      readonly fileProblem?: FileProblem;
    };

/** Why the session ended, if the user did not sign out. */
export type SignedOutReason =
  | 'session-expired'
  | 'session-revoked'
  | 'store-unreadable'
  | 'server-changed'
  /** Nobody was signed out: the stored address is not allowed, so the default one is used. */
  | 'server-address-not-allowed';

/** The last response of `/subscription/status`. */
export type AccountState = {
  readonly hasSubscription: boolean;
  readonly subscription: Subscription | null;
  readonly license: LicenseSummary | null;
  readonly features: Features;
  readonly checkedAt: Timestamp;
};

export type LicenseSummary = {
  readonly keyPreview: string;
  readonly plan: string;
  readonly status: string;
  readonly activations: number;
  /** 0 if unknown. */
  readonly maxActivations: number;
};

export type ThisDevice = {
  readonly deviceId: string;
  /** The machine's own id, `remembered` if it cannot be read now, or a random one if there is none. */
  readonly idSource: 'machine' | 'random' | 'remembered';
  readonly name: string;
  /** Whether the user chose the name; otherwise it is the host name. */
  readonly isNameGiven: boolean;
  readonly platform: string;
  readonly activated: boolean;
  /** Whether its activation ended elsewhere: somebody released it, or another device replaced it. */
  readonly releasedElsewhere: boolean;
  /** This device's activation, if the server has returned its id. */
  readonly activationId: string | null;
  /** License whose key is stored on this device. */
  readonly license: LicenseSummary | null;
};

export type Device = {
  readonly activationId: string;
  readonly keyPreview: string;
  readonly deviceId: string;
  readonly name: string;
  readonly platform: string;
  readonly activatedAt: Timestamp;
  readonly lastSeenAt: Timestamp;
  readonly activity: DeviceActivity;
  readonly isThisDevice: boolean;
};

/** A released device that may still work offline: its place on the license is free at `placeFreeAt`. */
export type ReleasedDevice = Pick<Device, 'activationId' | 'keyPreview' | 'name' | 'platform'> & {
  readonly placeFreeAt: Timestamp;
};

/** How many more new devices a license may be used on; one more from `until` on. */
export type NewDevices = { readonly keyPreview: string; readonly remaining: number; readonly until: Timestamp };

/** Limits on the next activation besides active devices, if the server lists them. */
export type LicensePlaces = {
  readonly released: readonly ReleasedDevice[];
  readonly newDevices: readonly NewDevices[];
};

/** A session of the account; `client` is the user agent of the client that signed in. */
export type AccountSession = {
  readonly sessionId: string;
  readonly client: string;
  readonly createdAt: Timestamp;
  readonly lastUsedAt: Timestamp;
  readonly isThisSession: boolean;
};

/** Something loaded on demand; a failed reload keeps the previous value. */
export type Loaded<T> = {
  readonly value: T | null;
  readonly loading: boolean;
  readonly failure: Failure | null;
};

export type ApiKeyState = {
  readonly prefix: string;
  readonly isLegacy: boolean;
  readonly createdAt: Timestamp;
  /**
   * Time of the revocation, if the server reported one; `reported`: someone found the key in public and reported it.
   */
  readonly revoked: { readonly at: Timestamp; readonly reported: boolean } | null;
  /** Whether a new key is held until the user confirms having saved it. */
  readonly unsaved: boolean;
};

type HeartbeatState = {
  readonly lastAt: Timestamp | null;
  readonly nextAt: Timestamp | null;
  readonly lastFailure: Failure | null;
};

export type InstallerState =
  | { readonly kind: 'idle' }
  | ({ readonly kind: 'verifying'; readonly fileName: string } & FileProgress)
  | {
      readonly kind: 'genuine';
      readonly fileName: string;
      readonly version: string;
      /** The published version, if the file is from an earlier one. */
      readonly newerVersion: string | null;
      readonly platform: InstallerPlatform;
      readonly hash: string;
      readonly bytes: number;
      readonly checkedAt: Timestamp;
    }
  | {
      readonly kind: 'not-genuine';
      readonly fileName: string;
      /** The published version. */
      readonly version: string;
      /** Whether the server also knows earlier versions; if not, the file may be a genuine earlier one. */
      readonly earlierKnown: boolean;
      readonly hash: string;
      readonly bytes: number;
      readonly checkedAt: Timestamp;
    }
  /** The server publishes no hashes to compare with. */
  | { readonly kind: 'not-published'; readonly checkedAt: Timestamp }
  | { readonly kind: 'failed'; readonly fileName: string | null; readonly failure: Failure };

/** A server warning; `id` stays the same as long as its cause does. */
export type Warning = { readonly id: string; readonly text: string; readonly since: Timestamp };

export const activityKinds = [
  'signed-in',
  'signed-out',
  'session-ended',
  'password-changed',
  'email-changed',
  'license-checked',
  'license-rejected',
  'license-unreadable',
  'device-activated',
  'device-released',
  'device-renamed',
  'lease-imported',
  'lease-ended',
  'heartbeat',
  'heartbeat-warning',
  'went-offline',
  'back-online',
  'api-key-generated',
  'api-key-revoked',
  'api-key-reported',
  'leaked-key-reported',
  'license-key-replaced',
  'installer-genuine',
  'installer-not-genuine',
  'history-exported',
] as const;

export type ActivityKind = (typeof activityKinds)[number];

/** An entry in the activity list; `detail` is a short fact, e.g. a device name or a code. */
export type ActivityEntry = {
  readonly id: number;
  readonly at: Timestamp;
  readonly kind: ActivityKind;
  readonly detail: string | null;
};

/** Where this machine stores secrets. */
export type SecretStorage =
  /** The system keyring. */
  | 'keyring'
  /** No keyring: the user is asked once. */
  | 'ask'
  /** No keyring, and the user chose to stay signed in: encrypted with a key stored beside the file. */
  | 'file'
  /** No keyring, and the user chose to store nothing. */
  | 'memory';

export type AppInfo = {
  readonly version: string;
  readonly platform: string;
  /** Only Electron has a tray, native notifications and start at login. `browser`: a server's account page. */
  readonly runtime: 'electron' | 'browser-host' | 'browser';
  /** Whether the file that installed this app is known. */
  readonly ownInstallerKnown: boolean;
  /** Folder of the app's data; `null` for a page and an embedding app. */
  readonly dataFolder: string | null;
  /** Pages configured by the vendor. */
  readonly links: readonly LinkName[];
  /** The version before an update, at the first start after it. */
  readonly updatedFrom?: string;
  /** How a terminal calls the command line. */
  readonly shellCommand?: string;
  readonly defaultServer?: string;
};

export type AppState = {
  readonly app: AppInfo;
  readonly server: ServerState;
  readonly session: SessionState;
  readonly license: LicenseState;
  readonly lease: LeaseInfo;
  readonly features: readonly FeatureState[];
  /** The server's feature texts in the user's language; `null` if it sends none. */
  readonly featureTexts: readonly FeatureText[] | null;
  /** The language that they were requested in, which the user may have changed since, as a BCP 47 tag. */
  readonly featureTextsLanguage?: string | null;
  readonly clock: ClockState;
  /** Compared with the server's. */
  readonly clockAheadMs?: number;
  readonly thisDevice: ThisDevice | null;
  readonly devices: Loaded<readonly Device[]>;
  readonly places: LicensePlaces;
  readonly sessions: Loaded<readonly AccountSession[]>;
  /** Whether the user has yet to confirm the email address. */
  readonly isEmailUnconfirmed: boolean;
  /** Recipient of an email-change link until it is opened or expires; unknown after a restart. */
  readonly pendingEmail: string | null;
  /** The account's API key; `null` if this device has not seen one yet. */
  readonly apiKey: ApiKeyState | null;
  readonly heartbeat: HeartbeatState;
  readonly installer: InstallerState;
  readonly updates: UpdatesState;
  /** The last scan for leaked keys, or the one in progress. */
  readonly keyScan: KeyScanState;
  readonly warnings: readonly Warning[];
  readonly activity: readonly ActivityEntry[];
  readonly secretStorage: SecretStorage;
  readonly settings: Settings;
  /** Whether a sync with the server is in progress. */
  readonly syncing: boolean;
  /** The connection doctor's current run or last result; `null` before the first. */
  readonly doctor: DoctorProgress | null;
};

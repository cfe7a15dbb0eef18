/** What the window shows: one snapshot, made in the main process, never holding a token, a key or the raw machine id. */
import type { SignUpMode } from '../api/about.ts';
import type { User } from '../api/auth.ts';
import type { Features, FeatureText } from '../api/features.ts';
import type { InstallerPlatform } from '../api/installer.ts';
import type { DeviceActivity } from '../api/license.ts';
import type { Subscription } from '../api/subscription.ts';
import type { LeaseProblem } from '../lease.ts';
import type { DoctorProgress } from './doctor.ts';
import type { FileProgress } from './file-progress.ts';
import type { KeyScanState } from './key-scan.ts';
import type { LinkName } from './links.ts';
import type { Failure } from './result.ts';
import type { Settings } from './settings.ts';
import type { UpdatesState } from './updates.ts';

/** An instant as ISO 8601 UTC. */
export type Timestamp = string;

/** The state of this device's license, shown first of all; the window has a message for each. */
export type LicenseState =
  /** Nothing conclusive is known yet. */
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'works';
      readonly plan: string;
      /** The end of the subscription's period. */
      readonly until: Timestamp | null;
      /** Until when it works without the server; `null` where that is not known. */
      readonly worksUntil: Timestamp | null;
    }
  /** The last conclusive response was good and holds until the grace period ends. */
  | {
      readonly kind: 'offline';
      readonly plan: string;
      readonly since: Timestamp;
      readonly worksUntil: Timestamp;
    }
  /** Offline for longer than the grace period: nothing works until the server is reached again. */
  | { readonly kind: 'offline-ended'; readonly since: Timestamp }
  /** This device is activated, and nothing works until the server has signed a lease for it. */
  | { readonly kind: 'waiting-for-lease' }
  | { readonly kind: 'not-activated' }
  | { readonly kind: 'no-license' }
  | { readonly kind: 'blocked'; readonly reason: BlockedReason };

/** What is known about this machine's clock from the server's time. */
export type ClockState =
  /** Or not known to be wrong. */
  | 'in-sync'
  | 'ahead'
  | 'behind'
  /** The grace period has ended by this clock alone; if it is wrong, everything works again once it is right. */
  | 'maybe-ahead'
  /** The last check is dated in the future, so how long ago it was is unknown; until the next one nothing works offline. */
  | 'contradictory';

/** Why a license gives nothing, from the code of a conclusive `valid: false`. */
export type BlockedReason = 'revoked' | 'expired' | 'suspended' | 'subscription-ended' | 'not-found';

/** Why a feature is off. */
export type FeatureOffReason =
  /** The plan lacks it; `availableOn` is the smallest plan known to have it, `null` if none is. */
  | { readonly kind: 'plan'; readonly plan: string; readonly availableOn: string | null }
  /** The license state turns everything off. */
  | { readonly kind: 'license'; readonly license: LicenseState }
  | { readonly kind: 'waiting-for-lease' }
  | { readonly kind: 'signed-out' };

export type FeatureState =
  | { readonly feature: string; readonly on: true }
  | { readonly feature: string; readonly on: false; readonly reason: FeatureOffReason };

/** The lease of this device: what the server signed, with which the device works without it. */
export type LeaseInfo = {
  /** `unusable`: there is one, and `problem` says why it does not count. */
  readonly state: 'none' | 'good' | 'expired' | 'unusable';
  /** Also of a later lease that is not used beside a good one. */
  readonly problem: LeaseProblem | 'other_account' | null;
  readonly kid: string | null;
  /** Where the keys come from with which leases are verified. */
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
  /** `null` until the user has chosen a server, where the app has none of its own. */
  readonly address: string | null;
  readonly reachability: Reachability;
  /** When it last answered, as far as is known. */
  readonly lastAnswerAt: Timestamp | null;
  readonly deviceList: Capability;
  /** Whether the server signs leases. */
  readonly leases: Capability;
  /** Whether users can see their sessions and change their password. */
  readonly accountManagement: Capability;
  /** Whether the server mails links to users who have forgotten their password. */
  readonly passwordReset: Capability;
  /** Whether users can change their email address and confirm it, for which the server has to send mail. */
  readonly emailChange: Capability;
  /** What the server says that it offers; `null` if it does not say, or has not been asked yet. */
  readonly offers: ServerOffers | null;
};

/** See `/about`. */
export type ServerOffers = {
  readonly signUp: SignUpMode;
  /** Of a new password, in characters. */
  readonly passwordMinLength: number;
  readonly mail: boolean;
  readonly leases: boolean;
  readonly accountPage: boolean;
};

/** Only a conclusive response of the server, or the user, ends a session. */
export type SessionState =
  | { readonly kind: 'starting' }
  | { readonly kind: 'signed-out'; readonly reason: SignedOutReason | null }
  | { readonly kind: 'signed-in'; readonly user: User; readonly account: AccountState | null };

/** Why the session ended, if the user did not sign out. */
export type SignedOutReason =
  | 'session-expired'
  | 'session-revoked'
  | 'store-unreadable'
  | 'server-changed'
  /** Nobody was signed out: the stored address is not allowed, and the default one is used. */
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
  /**
   * What the id was made from: the machine's own id, which may be `remembered` where it cannot be read now, or chance on a
   * machine that has none.
   */
  readonly idSource: 'machine' | 'random' | 'remembered';
  readonly name: string;
  /** Whether the user has given it that name; otherwise it is the host's. */
  readonly isNameGiven: boolean;
  readonly platform: string;
  readonly activated: boolean;
  /** The activation of this device, if the server has named it. */
  readonly activationId: string | null;
  /** The license whose key is stored on this device. */
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

/** A device that was released but may work offline, so that its place on the license is free only at `placeFreeAt`. */
export type ReleasedDevice = Pick<Device, 'activationId' | 'keyPreview' | 'name' | 'platform'> & {
  readonly placeFreeAt: Timestamp;
};

/** On how many more new devices a license may be used; one more from `until` on. */
export type NewDevices = { readonly keyPreview: string; readonly remaining: number; readonly until: Timestamp };

/** What limits the next activation besides the active devices, where the server lists it. */
export type LicensePlaces = {
  readonly released: readonly ReleasedDevice[];
  readonly newDevices: readonly NewDevices[];
};

/** A session of the account; `client` is how the client that signed in named itself. */
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
  /** When it was revoked, if the server has said so; `reported`: because somebody found it in public and reported it. */
  readonly revoked: { readonly at: Timestamp; readonly reported: boolean } | null;
  /** Whether a new key is held in the main process until the user confirms having saved it. */
  readonly unsaved: boolean;
};

export type HeartbeatState = {
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
      /** The published version, where the file is of an earlier one. */
      readonly newerVersion: string | null;
      readonly platform: InstallerPlatform;
      readonly hash: string;
      readonly bytes: number;
      readonly checkedAt: Timestamp;
    }
  | {
      readonly kind: 'not-genuine';
      readonly fileName: string;
      /** The published one. */
      readonly version: string;
      /** Whether the server also knows earlier versions; where it does not, the file may be a genuine one of those. */
      readonly earlierKnown: boolean;
      readonly hash: string;
      readonly bytes: number;
      readonly checkedAt: Timestamp;
    }
  /** The server publishes no hashes to compare with. */
  | { readonly kind: 'not-published'; readonly checkedAt: Timestamp }
  | { readonly kind: 'failed'; readonly fileName: string | null; readonly failure: Failure };

/** A warning of the server; `id` stays the same while its cause does. */
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

/** One entry of the activity list; `detail` is a short fact, e.g. a device name or a code. */
export type ActivityEntry = {
  readonly id: number;
  readonly at: Timestamp;
  readonly kind: ActivityKind;
  readonly detail: string | null;
};

/** Where secrets are stored on this machine. */
export type SecretStorage =
  /** The system's keyring. */
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
  /**
   * Only Electron has a tray, native notifications and a start at login. `browser`: the account page of a server, which
   * is no app and cannot clear the clipboard.
   */
  readonly runtime: 'electron' | 'browser-host' | 'browser';
  /** Whether the installer file of this installation is known. */
  readonly ownInstallerKnown: boolean;
  /** The pages that the vendor has configured. */
  readonly links: readonly LinkName[];
};

export type AppState = {
  readonly app: AppInfo;
  readonly server: ServerState;
  readonly session: SessionState;
  readonly license: LicenseState;
  readonly lease: LeaseInfo;
  readonly features: readonly FeatureState[];
  /** What the server calls its features, in the user's language; `null` if it says nothing of them. */
  readonly featureTexts: readonly FeatureText[] | null;
  readonly clock: ClockState;
  readonly thisDevice: ThisDevice | null;
  readonly devices: Loaded<readonly Device[]>;
  readonly places: LicensePlaces;
  readonly sessions: Loaded<readonly AccountSession[]>;
  /** Whether the server waits for the user to confirm the email address. */
  readonly isEmailUnconfirmed: boolean;
  /** Where the link of a change of the email address was sent, until it is opened or expires; unknown after a restart. */
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
  /** A sync with the server is under way. */
  readonly syncing: boolean;
  /** The connection doctor at work, or what it found last; `null` before. */
  readonly doctor: DoctorProgress | null;
};

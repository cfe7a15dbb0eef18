/** The package `latchkey-client`: the licensing client for your own app, over the ports of its machine. */
import type { LeaseRequestFile } from '../../shared/api/lease.ts';
import { isFeatureName } from '../../shared/formats/feature-fields.ts';
import type { ActivationOutcome, LeaseSummary } from '../../shared/ipc/activation-outcome.ts';
import type { AppState, FeatureOffReason, FeatureState, LicenseState } from '../../shared/ipc/app-state.ts';
import type { DoctorReport } from '../../shared/ipc/doctor.ts';
import type { Done, Failure, Result } from '../../shared/ipc/result.ts';
import { hasKeyLength } from '../../shared/jws.ts';
import { type LeaseJwk, leaseJwk, verifyLease } from '../../shared/lease.ts';
import { LicensingClient as Client } from '../licensing/licensing-client.ts';
import type {
  Clock,
  Files,
  Http,
  Log,
  Machine,
  PlainStore,
  Platform,
  Power,
  SecretStore,
} from '../licensing/platform.ts';
import { normalizeServerAddress, serverAddressRule } from '../licensing/server-address.ts';

export type {
  ActivationOutcome,
  AppState,
  Clock,
  DoctorReport,
  Done,
  Failure,
  FeatureOffReason,
  FeatureState,
  Files,
  Http,
  LeaseJwk,
  LeaseSummary,
  LicenseState,
  Log,
  Machine,
  PlainStore,
  Platform,
  Power,
  Result,
  SecretStore,
};
export { verifyLease };

declare global {
  // An app may have the declarations of neither the DOM nor Node; with them, this changes nothing.
  interface AbortSignal {}
}

/** The features that an app declares; `admin feature types` prints the declaration for a server. */
// biome-ignore lint/suspicious/noEmptyInterface: apps add to it, which only an interface allows
export interface OwnFeatures {}

/** The name of a feature: one that `OwnFeatures` declares, or any name if it declares none. */
export type FeatureFlag = keyof OwnFeatures extends never ? string : keyof OwnFeatures;

/** True if a text may be the name of a feature. Whether a server has such a feature, only `feature` tells. */
export function isFeatureFlag(text: string): text is FeatureFlag {
  return isFeatureName(text);
}

export type LicensingClientOptions = {
  /** The ports of this machine: from `createElectronPlatform`, `createNodePlatform`, or your own. */
  readonly platform: Platform;
  /** Address of the server: https, or http for a server on this computer. */
  readonly server: string;
  /** How the app names itself to the server, which shows it in the list of sessions. */
  readonly app: { readonly name: string; readonly version: string };
  /** Public keys of the server. By default, those that it publishes at the first sign-in are trusted from then on. */
  readonly trustedLeaseKeys?: readonly LeaseJwk[];
};

/** The content of the file that staff need, and its usual name. */
export type LeaseRequest = { readonly request: LeaseRequestFile; readonly fileName: string };

/** Every command resolves: a failure is a value, never a rejection. */
export type LicensingClient = {
  /** Reads what is stored, restores the session and starts the sync. Can be called more than once. */
  readonly start: () => Promise<void>;
  /** Cancels timers and requests and waits for writes in progress; stored data is kept. */
  readonly stop: () => Promise<void>;
  /** Calls back after every change, at most once per turn of the event loop; returns a function to unsubscribe. */
  readonly subscribe: (listener: (state: AppState) => void) => () => void;
  /** The current state. It never contains a token or a key. */
  readonly state: AppState;
  /**
   * Succeeds if the feature is on for this device now; otherwise, and until `start` has resolved, fails with
   * FEATURE_OFF and the reason.
   */
  readonly feature: (flag: FeatureFlag) => Result<true>;
  readonly signIn: (input: { readonly email: string; readonly password: string }) => Promise<Done>;
  readonly signUp: (input: {
    readonly email: string;
    readonly password: string;
    readonly fullName: string;
  }) => Promise<Done>;
  /** Signs out this device, or all devices of the account. */
  readonly signOut: (input?: { readonly allDevices?: boolean }) => Promise<Done>;
  /**
   * Activates this device with a license key. At the device limit the outcome lists devices that could be replaced;
   * `replaces` is the activation of one of them.
   */
  readonly activate: (input: {
    readonly licenseKey: string;
    readonly replaces?: string;
  }) => Promise<Result<ActivationOutcome>>;
  /** Loads `state.devices`. */
  readonly listDevices: () => Promise<Done>;
  /** Releases this or another device, by its activation in `state.devices`. */
  readonly releaseDevice: (input: { readonly activationId: string }) => Promise<Done>;
  /** The user's answer if `state.secretStorage` is `ask`: whether the sign-in is stored on disk. */
  readonly chooseSecretStorage: (input: { readonly keep: boolean }) => Promise<Done>;
  /** For a device that is never online. */
  readonly lease: {
    /** Returns what staff need to sign a lease. Without a key it has this device's. */
    readonly request: (input?: { readonly licenseKey?: string }) => Promise<Result<LeaseRequest>>;
    /** Imports the lease that they have signed: the text of a `.lease` file. */
    readonly import: (input: { readonly text: string }) => Promise<Result<LeaseSummary>>;
  };
  /** Compares a file with the hashes that the server publishes; the result is in `state.installer`. */
  readonly verifyInstaller: (input: { readonly path: string }) => Promise<Done>;
  /** Diagnoses the connection between this device and the server. */
  readonly doctor: () => Promise<Result<DoctorReport>>;
};

/**
 * Creates the client of one machine and one app. Reads, writes and sends nothing before `start`. Throws a `TypeError` for
 * an address or a key that is not allowed, and an `Error` while another client uses the folder of the platform.
 * @example
 * import { createLicensingClient } from 'latchkey-client';
 * import { createNodePlatform } from 'latchkey-client/node';
 *
 * const client = createLicensingClient({
 *   platform: await createNodePlatform({ folder: 'profile' }),
 *   server: 'https://licenses.example.org',
 *   app: { name: 'Sketcher', version: '1.0.0' },
 * });
 * await client.start();
 * const gate = client.feature('csv_export');
 * if (!gate.ok) console.log(gate.failure.reason);
 */
export function createLicensingClient(options: LicensingClientOptions): LicensingClient {
  const { platform, app } = options;
  const server = normalizeServerAddress(options.server);
  if (server === null) throw new TypeError(`server: ${serverAddressRule}`);
  const client = new Client({
    platform,
    app: {
      version: app.version,
      platform: platform.machine.platform,
      runtime: platform.machine.versions?.electron === undefined ? 'browser-host' : 'electron',
      ownInstallerKnown: false,
      dataFolder: null,
      links: [],
    },
    clientName: app.name,
    defaultServerAddress: server,
    systemLocale: Intl.DateTimeFormat().resolvedOptions().locale,
    trustedLeaseKeys:
      options.trustedLeaseKeys === undefined
        ? undefined
        : { from: 'built-in', keys: requireKeys(options.trustedLeaseKeys) },
  });
  const release = platform.claim?.();
  // They would sign each other out.
  if (release === null) throw new Error('Another client uses the folder of this platform. Stop that client first.');
  return {
    start: () => client.start(),
    stop: () => client.stop().finally(release),
    subscribe: (listener) => client.subscribe(listener),
    get state() {
      return client.getState();
    },
    feature: (flag) => client.feature(flag),
    signIn: (input) => client.signIn(input),
    signUp: (input) => client.signUp(input),
    signOut: ({ allDevices = false } = {}) => client.signOut({ allDevices }),
    activate: (input) => client.activateLicense(input),
    listDevices: () => client.listDevices(),
    releaseDevice: (input) => client.releaseDevice(input),
    chooseSecretStorage: (input) => client.chooseSecretStorage(input),
    lease: {
      request: (input) => client.requestLease(input),
      import: (input) => client.importLease(input),
    },
    verifyInstaller: (input) => client.verifyInstaller(input),
    doctor: () => client.runDoctor(),
  };
}

/** An empty list would trust nothing, and `null` any key: both are probably mistakes. */
function requireKeys(keys: unknown): LeaseJwk[] {
  if (!Array.isArray(keys) || keys.length === 0)
    throw new TypeError('trustedLeaseKeys: leave it out, or list the public keys of the server.');
  return keys.map((key, index) => {
    const parsed = leaseJwk.safeParse(key);
    if (parsed.success && hasKeyLength(parsed.data)) return parsed.data;
    throw new TypeError(`trustedLeaseKeys[${index}] is not an Ed25519 key as /.well-known/jwks.json lists it.`);
  });
}

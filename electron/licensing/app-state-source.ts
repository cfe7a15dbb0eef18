/** Composes the state that the window shows from what the modules know. */
import type {
  AccountState,
  AppInfo,
  AppState,
  Device,
  LicenseSummary,
  ThisDevice,
} from '../../shared/ipc/app-state.ts';
import { withOffers } from '../../shared/ipc/from-api.ts';
import { noFeatures } from '../../shared/seeded-features.ts';
import type { Account } from './account.ts';
import type { ActivityLog } from './activity-log.ts';
import type { ApiKey } from './api-key.ts';
import type { Auth } from './auth.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { DeviceIdentity } from './device-id.ts';
import type { DeviceName } from './device-name.ts';
import type { Devices } from './devices.ts';
import type { ConnectionDoctor } from './doctor.ts';
import { isActivated, isReleasedElsewhere, licenseInStatus, maskLicenseKey } from './entitlement.ts';
import { toTimestamp } from './failure.ts';
import type { FeatureGate } from './feature-gate.ts';
import type { FeatureTexts } from './feature-texts.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { InstallerVerifier } from './installer.ts';
import type { LeakedKeys } from './leaked-keys.ts';
import type { Lease } from './lease.ts';
import type { LicenseFacts, LicenseStore } from './license-store.ts';
import type { Machine, SecretStore } from './platform.ts';
import type { Preferences } from './preferences.ts';
import type { ReachabilityTracker } from './reachability.ts';
import type { ServerAbout } from './server-about.ts';
import type { Session } from './session.ts';
import type { Sync } from './sync.ts';
import type { TrustedTime } from './trusted-time.ts';
import type { Updates } from './updates.ts';

type AppStateSourceDeps = {
  readonly app: AppInfo;
  readonly machine: Machine;
  readonly secrets: SecretStore;
  readonly preferences: Preferences;
  readonly deviceIdentity: DeviceIdentity;
  readonly deviceName: DeviceName;
  readonly reachability: ReachabilityTracker;
  readonly trustedTime: TrustedTime;
  readonly auth: Auth;
  readonly session: Session;
  readonly store: LicenseStore;
  readonly lease: Lease;
  readonly features: FeatureGate;
  readonly featureTexts: FeatureTexts;
  readonly serverAbout: ServerAbout;
  readonly devices: Devices;
  readonly account: Account;
  readonly apiKey: ApiKey;
  readonly heartbeat: Heartbeat;
  readonly leakedKeys: LeakedKeys;
  readonly installer: InstallerVerifier;
  readonly updates: Updates;
  readonly activity: ActivityLog;
  readonly sync: Sync;
  readonly doctor: ConnectionDoctor;
  readonly changes: ChangeNotifier;
};

export class AppStateSource {
  readonly #deps: AppStateSourceDeps;

  constructor(deps: AppStateSourceDeps) {
    this.#deps = deps;
  }

  /** Calls back after every change, at most once per turn of the event loop; returns a function to unsubscribe. */
  subscribe(listener: (state: AppState) => void): () => void {
    return this.#deps.changes.subscribe(() => listener(this.current));
  }

  get current(): AppState {
    const { app, machine, secrets, preferences, deviceIdentity, deviceName, reachability, auth, session } = this.#deps;
    const { store, lease, features, featureTexts, serverAbout, devices, account, apiKey, heartbeat } = this.#deps;
    const { installer, leakedKeys, activity, sync, trustedTime } = this.#deps;
    const { serverAddress, settings } = preferences.current;
    const { user } = session;
    const { facts } = store;
    const licenseState = features.license();
    const ownId = deviceIdentity.loadedId;
    return {
      app,
      server: {
        address: serverAddress,
        reachability: reachability.state,
        lastAnswerAt: reachability.lastAnswerAt ?? facts.status?.at ?? null,
        deviceList: devices.capability,
        leases: lease.capability,
        ...account.capabilities,
        ...withOffers(serverAbout.current),
      },
      session: user
        ? {
            kind: 'signed-in',
            user,
            account: describeAccount(facts),
            ...(!session.isStored && { isUnsaved: true, ...session.storeProblem }),
          }
        : auth.signedOut,
      license: licenseState,
      lease: lease.info,
      features: features.features(licenseState),
      featureTexts: featureTexts.current,
      featureTextsLanguage: featureTexts.language,
      clock: features.clockState(),
      clockAheadMs: trustedTime.clockAheadMs,
      thisDevice:
        ownId === null
          ? null
          : describeThisDevice(facts, devices.list.value, {
              deviceId: ownId,
              idSource: deviceIdentity.source ?? 'machine',
              name: deviceName.current,
              isNameGiven: deviceName.given !== null,
              platform: machine.platform,
            }),
      devices: devices.list,
      places: devices.places,
      sessions: account.sessions,
      isEmailUnconfirmed: account.isEmailUnconfirmed,
      pendingEmail: account.pendingEmail,
      apiKey: facts.apiKey ? { ...facts.apiKey, unsaved: apiKey.unsaved !== null } : null,
      heartbeat: {
        lastAt: heartbeat.lastAt,
        nextAt: sync.nextAtMs === null ? null : toTimestamp(sync.nextAtMs),
        lastFailure: heartbeat.lastFailure,
      },
      installer: installer.state,
      updates: this.#deps.updates.state,
      keyScan: leakedKeys.state,
      warnings: heartbeat.warnings,
      activity: activity.entries,
      secretStorage: secrets.storage(),
      settings,
      syncing: sync.isRunning,
      doctor: this.#deps.doctor.progress,
    };
  }
}

function describeAccount(facts: LicenseFacts): AccountState | null {
  if (!facts.status) return null;
  const { response, at } = facts.status;
  return {
    hasSubscription: response.has_subscription,
    subscription: response.subscription ?? null,
    license: response.license
      ? {
          keyPreview: response.license.key_preview,
          plan: response.license.plan,
          status: response.license.status,
          ...(licenseInStatus(facts) ? countActivations(facts, response.license) : toCounts(response.license)),
        }
      : null,
    features: response.features ?? noFeatures,
    checkedAt: at,
  };
}

function describeThisDevice(
  facts: LicenseFacts,
  devices: readonly Device[] | null,
  machine: Pick<ThisDevice, 'deviceId' | 'idSource' | 'name' | 'isNameGiven' | 'platform'>,
): ThisDevice {
  const activated = isActivated(facts);
  return {
    ...machine,
    activated,
    releasedElsewhere: isReleasedElsewhere(facts),
    activationId: activated ? (facts.activationId ?? findOwnActivation(devices, facts)) : null,
    license: describeLicense(facts),
  };
}

/** The license of the stored key, from the validation or, directly after an activation, from the status. */
function describeLicense(facts: LicenseFacts): LicenseSummary | null {
  const { licenseKey, validation } = facts;
  const inStatus = licenseInStatus(facts);
  if (licenseKey === null || !(validation || inStatus)) return null;
  const keyPreview = maskLicenseKey(licenseKey);
  const invalidCode = validation?.response.valid === false ? validation.response.code : null;
  const license = validation?.response.valid ? validation.response : inStatus;
  // A change of another device is known from the status first.
  const counted = inStatus ?? license;
  const counts = counted ? countActivations(facts, counted) : { activations: 0, maxActivations: 0 };
  return { keyPreview, plan: license?.plan ?? '', status: invalidCode ?? license?.status ?? '', ...counts };
}

type Counts = Pick<LicenseSummary, 'activations' | 'maxActivations'>;

/** The counts of an activation on this device are newer than those of earlier responses. */
function countActivations({ localChange }: LicenseFacts, license: Parameters<typeof toCounts>[0]): Counts {
  if (localChange?.kind !== 'activated') return toCounts(license);
  const { activations, maxActivations } = localChange;
  return { activations, maxActivations };
}

function toCounts(license: { readonly activations: number; readonly max_activations: number }): Counts {
  return { activations: license.activations, maxActivations: license.max_activations };
}

function findOwnActivation(devices: readonly Device[] | null, { licenseKey }: LicenseFacts): string | null {
  const preview = licenseKey === null ? null : maskLicenseKey(licenseKey);
  return devices?.find((device) => device.isThisDevice && device.keyPreview === preview)?.activationId ?? null;
}

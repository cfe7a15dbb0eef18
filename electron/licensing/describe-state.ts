/** Puts the window's snapshot together from what the modules know. Pure. */

import type { User } from '../../shared/api/auth.ts';
import { noFeatures } from '../../shared/api/features.ts';
import { previewLicenseKey } from '../../shared/formats/license-key.ts';
import type {
  AccountState,
  AppInfo,
  AppState,
  Device,
  LicenseState,
  LicenseSummary,
  Reachability,
  SessionState,
  ThisDevice,
} from '../../shared/ipc/app-state.ts';
import { judgeLicense } from './entitlement.ts';
import { featuresSignedOut, judgeFeatures } from './feature-states.ts';
import type { Machine } from './platform.ts';
import type { SavedFacts } from './saved-state.ts';

/** What the snapshot is made of; the parts that need no judgement are passed through. */
export type StateParts = Pick<
  AppState,
  'devices' | 'heartbeat' | 'installer' | 'warnings' | 'activity' | 'secretStorage' | 'settings' | 'syncing'
> & {
  readonly app: AppInfo;
  readonly serverAddress: string;
  readonly reachability: Reachability;
  readonly deviceList: AppState['server']['deviceList'];
  readonly user: User | null;
  /** Where nobody is signed in. */
  readonly absent: Exclude<SessionState, { kind: 'signed-in' }>;
  readonly facts: SavedFacts;
  readonly nowMs: number;
  readonly deviceId: string | null;
  readonly machine: Pick<Machine, 'deviceName' | 'platform'>;
  readonly keyUnsaved: boolean;
};

/** The whole state at one moment. */
export function describeState(parts: StateParts): AppState {
  const { facts, user, reachability } = parts;
  const license = licenseNow(parts);
  return {
    app: parts.app,
    server: { address: parts.serverAddress, reachability, deviceList: parts.deviceList },
    session: user ? { kind: 'signed-in', user, account: describeAccount(facts) } : parts.absent,
    license,
    features: featuresNow(parts, license),
    thisDevice: parts.deviceId === null ? null : describeThisDevice(parts, parts.deviceId),
    devices: parts.devices,
    apiKey: facts.apiKey ? { ...facts.apiKey, unsaved: parts.keyUnsaved } : null,
    heartbeat: parts.heartbeat,
    installer: parts.installer,
    warnings: parts.warnings,
    activity: parts.activity,
    secretStorage: parts.secretStorage,
    settings: parts.settings,
    syncing: parts.syncing,
  };
}

type Judged = Pick<StateParts, 'user' | 'facts' | 'nowMs' | 'reachability'>;

/** The license state alone, for the gate of an act. */
export function licenseNow({ user, facts, nowMs, reachability }: Judged): LicenseState {
  return user ? judgeLicense(facts, { nowMs, reachability }) : { kind: 'unknown' };
}

/** The features alone, for the gate of an act. */
export function featuresNow({ user, facts }: Judged, license: LicenseState): AppState['features'] {
  return user ? judgeFeatures(facts, license) : featuresSignedOut();
}

function describeAccount({ status }: SavedFacts): AccountState | null {
  if (!status) return null;
  const { answer, at } = status;
  return {
    hasSubscription: answer.has_subscription,
    subscription: answer.subscription ?? null,
    license: answer.license
      ? {
          keyPreview: answer.license.key_preview,
          plan: answer.license.plan,
          status: answer.license.status,
          activations: answer.license.activations,
          maxActivations: answer.license.max_activations,
        }
      : null,
    features: answer.features ?? noFeatures,
    checkedAt: at,
  };
}

function describeThisDevice(parts: StateParts, deviceId: string): ThisDevice {
  const { facts, machine } = parts;
  const answer = facts.validation?.answer;
  const activated = facts.licenseKey !== null && answer?.valid === true && answer.already_activated_on_device;
  return {
    deviceId,
    name: machine.deviceName,
    platform: machine.platform,
    activated,
    activationId: activated ? (facts.activationId ?? ownActivation(parts.devices.value, facts)) : null,
    license: summariseHeld(facts),
  };
}

function summariseHeld({ licenseKey, validation, status }: SavedFacts): LicenseSummary | null {
  if (licenseKey === null || !validation) return null;
  const { answer } = validation;
  const keyPreview = maskKey(licenseKey);
  if (!answer.valid) {
    const told = status?.answer.license?.key_preview === keyPreview ? status.answer.license : null;
    return {
      keyPreview,
      plan: told?.plan ?? '',
      status: answer.code,
      activations: told?.activations ?? 0,
      maxActivations: told?.max_activations ?? 0,
    };
  }
  const { plan, activations, max_activations: maxActivations } = answer;
  return { keyPreview, plan, status: answer.status, activations, maxActivations };
}

function ownActivation(devices: readonly Device[] | null, { licenseKey }: SavedFacts): string | null {
  const preview = licenseKey === null ? null : maskKey(licenseKey);
  return devices?.find((device) => device.isThisDevice && device.keyPreview === preview)?.activationId ?? null;
}

const shortestPreviewable = 20;

/** Another server's keys may be so short that a preview would be the key. */
function maskKey(licenseKey: string): string {
  return licenseKey.length >= shortestPreviewable ? previewLicenseKey(licenseKey) : `...${licenseKey.slice(-2)}`;
}

/** Composes the state that the window shows from what the modules know. Pure. */
import type { User } from '../../shared/api/auth.ts';
import { noFeatures } from '../../shared/api/features.ts';
import type {
  AccountState,
  AppState,
  Device,
  LicenseSummary,
  SessionState,
  ThisDevice,
} from '../../shared/ipc/app-state.ts';
import { isActivated, licenseInStatus, maskLicenseKey } from './entitlement.ts';
import type { LicenseFacts } from './license-store.ts';
import type { Machine } from './platform.ts';

/** What the state is composed of; most of it is passed through. */
export type AppStateInput = Omit<AppState, 'session' | 'thisDevice' | 'apiKey'> & {
  readonly user: User | null;
  /** The session state while nobody is signed in. */
  readonly signedOut: Exclude<SessionState, { kind: 'signed-in' }>;
  readonly facts: LicenseFacts;
  readonly deviceId: string | null;
  readonly machine: Pick<Machine, 'deviceName' | 'platform'>;
  readonly apiKeyUnsaved: boolean;
};

export function describeAppState(input: AppStateInput): AppState {
  const { user, signedOut, facts, deviceId, machine, apiKeyUnsaved, ...rest } = input;
  return {
    ...rest,
    session: user ? { kind: 'signed-in', user, account: describeAccount(facts) } : signedOut,
    thisDevice: deviceId === null ? null : describeThisDevice(facts, deviceId, machine, rest.devices.value),
    apiKey: facts.apiKey ? { ...facts.apiKey, unsaved: apiKeyUnsaved } : null,
  };
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
  deviceId: string,
  machine: AppStateInput['machine'],
  devices: readonly Device[] | null,
): ThisDevice {
  const activated = isActivated(facts);
  return {
    deviceId,
    name: machine.deviceName,
    platform: machine.platform,
    activated,
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
  const counts = license ? countActivations(facts, license) : { activations: 0, maxActivations: 0 };
  return { keyPreview, plan: license?.plan ?? '', status: invalidCode ?? license?.status ?? '', ...counts };
}

type Counts = Pick<LicenseSummary, 'activations' | 'maxActivations'>;

/** An activation on this device knows the counts better than the responses before it. */
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

/** Converts API responses to parts of the app state. */
import type { AboutResponse } from '../api/about.ts';
import type { ApiKeyStatusResponse } from '../api/api-key.ts';
import type { Session } from '../api/auth.ts';
import type { Activation, ActivationsResponse } from '../api/license.ts';
import { smallestPlanWith } from '../seeded-features.ts';
import type {
  AccountSession,
  ApiKeyState,
  Device,
  FeatureOffReason,
  LicensePlaces,
  ServerOffers,
  ServerState,
} from './app-state.ts';

export function toDevice(activation: Activation, ownDeviceId: string | null): Device {
  return {
    activationId: activation.activation_id,
    keyPreview: activation.key_preview,
    deviceId: activation.device_id,
    name: cutName(activation.device_name),
    platform: cutName(activation.platform),
    activatedAt: activation.activated_at,
    lastSeenAt: activation.last_seen_at,
    activity: activation.activity,
    isThisDevice: activation.device_id === ownDeviceId,
  };
}

/**
 * Maximum length of a list that is shown all at once. A longer one, which another server may send, would freeze the
 * window.
 */
const maxShown = 200;

/** The first of them. Empty if the list was not loaded or the server omits it. */
export function toPlaces(response: ActivationsResponse | null): LicensePlaces {
  const { released_devices = [], new_devices = [] } = response ?? {};
  return {
    released: released_devices.slice(0, maxShown).map((device) => ({
      activationId: device.activation_id,
      keyPreview: device.key_preview,
      name: cutName(device.device_name),
      platform: cutName(device.platform),
      placeFreeAt: device.place_free_at,
    })),
    newDevices: new_devices
      .slice(0, maxShown)
      .map(({ key_preview, remaining, until }) => ({ keyPreview: key_preview, remaining, until })),
  };
}

/** The first of them; our server lists no more than these. */
export function toAccountSessions(sessions: readonly Session[]): AccountSession[] {
  return sessions.slice(0, maxShown).map((session) => ({
    sessionId: session.session_id,
    client: session.user_agent,
    createdAt: session.created_at,
    lastUsedAt: session.last_used_at,
    isThisSession: session.current,
  }));
}

type KnownKey = Omit<ApiKeyState, 'unsaved'>;

export function toKnownKey(key: NonNullable<ApiKeyStatusResponse['key']>): KnownKey {
  const revoked = key.revoked_at === null ? null : { at: key.revoked_at, reported: key.reported_at !== null };
  return { prefix: key.api_key_prefix, isLegacy: key.is_legacy, createdAt: key.created_at, revoked };
}

/** Returns the off-reason for a feature that the plan lacks. */
export function planLacks(feature: string, plan: string): FeatureOffReason {
  return { kind: 'plan', plan, availableOn: smallestPlanWith(feature) ?? null };
}

/** Describes the previous key, if it had been reported. */
export function describeReport(key: KnownKey | null): { prefix: string; at: string } | undefined {
  return key?.revoked?.reported ? { prefix: key.prefix, at: key.revoked.at } : undefined;
}

/**
 * Returns the server's offers and the resulting state of the extensions that need mail, unchanged if `offers` is null.
 */
export function withOffers(offers: ServerOffers | null): Partial<ServerState> & Pick<ServerState, 'offers'> {
  if (offers === null) return { offers };
  const needsMail = offers.mail ? 'available' : 'missing';
  return { offers, passwordReset: needsMail, emailChange: needsMail };
}

export function toServerOffers(about: AboutResponse): ServerOffers {
  return {
    signUp: about.sign_up,
    passwordMinLength: about.password_min_length,
    mail: about.mail,
    leases: about.leases,
    accountPage: about.account_page,
  };
}

/** Our server's limit for a device name, in code points. */
const maxNameLength = 200;

function cutName(name: string): string {
  return name.length <= maxNameLength ? name : [...name].slice(0, maxNameLength).join('');
}

/** The account page's app state: that of an app without a device, built from API responses. */
import type { ResponseOf } from '../../shared/api/endpoints.ts';
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import { isOn } from '../../shared/formats/feature-fields.ts';
import type {
  AccountState,
  AppState,
  FeatureState,
  LeaseInfo,
  Loaded,
  SignedOutReason,
} from '../../shared/ipc/app-state.ts';
import { planLacks } from '../../shared/ipc/from-api.ts';
import { noUpdates } from '../../shared/ipc/updates.ts';
import { noFeatures } from '../../shared/seeded-features.ts';
import type { PageSettings } from './page-settings.ts';

const noLease: LeaseInfo = {
  state: 'none',
  problem: null,
  kid: null,
  keys: 'first-use',
  license: null,
  issuedAt: null,
  renewAfter: null,
  expiresAt: null,
};

const notLoaded: Loaded<never> = { value: null, loading: false, failure: null };

/** Returns the state before sign-in. Fields that only an app uses keep these values. */
export function createPageState({ theme, language }: PageSettings): AppState {
  return {
    app: { version: '', platform: '', runtime: 'browser', ownInstallerKnown: false, dataFolder: null, links: [] },
    server: {
      address: null,
      reachability: { kind: 'unknown' },
      lastAnswerAt: null,
      deviceList: 'available',
      leases: 'unknown',
      accountManagement: 'available',
      passwordReset: 'unknown',
      emailChange: 'unknown',
      offers: null,
    },
    session: { kind: 'starting' },
    license: { kind: 'unknown' },
    lease: noLease,
    features: [],
    featureTexts: null,
    clock: 'in-sync',
    thisDevice: null,
    devices: notLoaded,
    places: { released: [], newDevices: [] },
    sessions: notLoaded,
    isEmailUnconfirmed: false,
    pendingEmail: null,
    apiKey: null,
    heartbeat: { lastAt: null, nextAt: null, lastFailure: null },
    installer: { kind: 'idle' },
    updates: noUpdates(''),
    keyScan: { kind: 'idle' },
    warnings: [],
    activity: [],
    secretStorage: 'memory',
    settings: {
      theme,
      language,
      heartbeatIntervalSeconds: 300,
      startAtLogin: false,
      keepRunning: false,
      notifications: false,
    },
    syncing: false,
    doctor: null,
  };
}

/** Returns the state after sign-out, which keeps only what belongs to the page and the server. */
export function signOutOf({ settings, server, featureTexts }: AppState, reason: SignedOutReason | null): AppState {
  const { theme, language } = settings;
  return { ...createPageState({ theme, language }), server, featureTexts, session: { kind: 'signed-out', reason } };
}

export function toAccount(response: SubscriptionStatusResponse, checkedAt: string): AccountState {
  const { license } = response;
  return {
    hasSubscription: response.has_subscription,
    subscription: response.subscription ?? null,
    license: license
      ? {
          keyPreview: license.key_preview,
          plan: license.plan,
          status: license.status,
          activations: license.activations,
          maxActivations: license.max_activations,
        }
      : null,
    features: response.features ?? noFeatures,
    checkedAt,
  };
}

/** Returns the features that the server lists, on or off according to the account's plan. */
export function toFeatures(account: AccountState, { features }: ResponseOf<'features'>): FeatureState[] {
  const plan = account.subscription?.plan ?? account.license?.plan ?? 'free';
  return features.map(({ name: feature }) =>
    isOn(account.features, feature) ? { feature, on: true } : { feature, on: false, reason: planLacks(feature, plan) },
  );
}

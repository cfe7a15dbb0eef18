/** Sample app states for specs and pictures, with times near `now`. */

import type {
  AccountSession,
  AccountState,
  ActivityEntry,
  AppState,
  Device,
  FeatureState,
  LicenseState,
} from '../../shared/ipc/app-state.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import { builtInFeatures, seededPlans, smallestPlanWith } from '../../shared/seeded-features.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** The time `offset` milliseconds after `now`, as in the app state. */
export function from(now: number, offset: number): string {
  return new Date(now + offset).toISOString();
}

const summary = {
  keyPreview: 'SVC-7QK2...M4XD',
  plan: 'standard',
  status: 'active',
  activations: 2,
  maxActivations: 3,
};

export function sampleFailure(code: Failure['code'], now: number, more: Partial<Failure> = {}): Failure {
  return {
    code,
    message: `${code} in the server’s message.`,
    at: from(now, -2000),
    requestId: 'req-01hf3k8m',
    ...more,
  };
}

/** All features of a plan; the others are off because of the plan. */
export function featuresOf(plan: keyof typeof seededPlans): readonly FeatureState[] {
  return builtInFeatures.map((feature) =>
    seededPlans[plan][feature]
      ? { feature, on: true }
      : { feature, on: false, reason: { kind: 'plan', plan, availableOn: smallestPlanWith(feature) ?? null } },
  );
}

/** All features, off because of a license state. */
export function featuresOff(license: LicenseState): readonly FeatureState[] {
  return builtInFeatures.map((feature: string) => ({ feature, on: false, reason: { kind: 'license', license } }));
}

export function sampleAccount(now: number): AccountState {
  return {
    hasSubscription: true,
    subscription: {
      plan: 'standard',
      status: 'active',
      current_period_start: from(now, -10 * day),
      current_period_end: from(now, 20 * day),
      cancel_at_period_end: false,
    },
    license: summary,
    features: seededPlans.standard,
    checkedAt: from(now, -2 * minute),
  };
}

export function sampleDevice(now: number, more: Partial<Device> = {}): Device {
  return {
    activationId: 'a-1',
    keyPreview: summary.keyPreview,
    deviceId: 'HW-01234567-89ABCDEF-01234567-89ABCDEF',
    name: 'Studio Mac',
    platform: 'macOS arm64',
    activatedAt: from(now, -40 * day),
    lastSeenAt: from(now, -2 * minute),
    activity: 'active',
    isThisDevice: false,
    ...more,
  };
}

const deviceNames = ['Recording cart', 'Lab bench 4', 'Ada’s laptop'];

export function sampleDevices(now: number): readonly Device[] {
  return [
    sampleDevice(now, { isThisDevice: true }),
    sampleDevice(now, {
      activationId: 'a-2',
      name: deviceNames[0] ?? '',
      platform: 'linux x64',
      lastSeenAt: from(now, -12 * day),
      activity: 'idle',
    }),
    sampleDevice(now, {
      activationId: 'a-3',
      name: deviceNames[1] ?? '',
      platform: 'win32 x64',
      lastSeenAt: from(now, -75 * day),
      activity: 'stale',
    }),
  ];
}

const kinds: readonly (readonly [ActivityEntry['kind'], string | null])[] = [
  ['license-checked', 'Standard'],
  ['heartbeat', null],
  ['device-activated', 'Studio Mac'],
  ['back-online', null],
  ['went-offline', null],
  ['signed-in', 'ada@lab.org'],
];

export function sampleActivity(now: number): readonly ActivityEntry[] {
  return kinds.map(([kind, detail], index) => ({
    id: 100 - index,
    at: from(now, -(index * 5 + 2) * minute),
    kind,
    detail,
  }));
}

/** Signed yesterday, for two weeks. */
function sampleLease(now: number): AppState['lease'] {
  return {
    state: 'good',
    problem: null,
    kid: 'lease-1',
    keys: 'built-in',
    license: summary.keyPreview,
    issuedAt: from(now, -day),
    renewAfter: from(now, 6 * day),
    expiresAt: from(now, 13 * day),
  };
}

const sampleCapabilities = {
  deviceList: 'available',
  leases: 'available',
  accountManagement: 'available',
  passwordReset: 'unknown',
  emailChange: 'available',
} as const;

/** This session, and one on another machine. */
export function sampleSessions(now: number): readonly AccountSession[] {
  const session = {
    sessionId: '019300aa-0000-7000-8000-000000000001',
    client: 'Latchkey/0.1.0 (macOS arm64; Studio Mac)',
    createdAt: from(now, -40 * day),
    lastUsedAt: from(now, -20 * minute),
    isThisSession: true,
  };
  return [
    session,
    {
      ...session,
      sessionId: '019300aa-0000-7000-8000-000000000002',
      client: 'Latchkey/0.1.0 (linux x64; Recording cart)',
      lastUsedAt: from(now, -3 * day),
      isThisSession: false,
    },
  ];
}

/** Signed in with the standard plan, on an activated device, online. */
export function filledState(now: number): AppState {
  return {
    featureTexts: null,
    app: {
      version: '0.1.0',
      platform: 'linux x64',
      runtime: 'electron',
      ownInstallerKnown: true,
      links: ['help', 'plans', 'security'],
    },
    server: { address: 'https://license.lab.org', reachability: { kind: 'online' }, ...sampleCapabilities },
    session: {
      kind: 'signed-in',
      user: { id: 'u-1', email: 'ada@lab.org', full_name: 'Ada Lovelace' },
      account: sampleAccount(now),
    },
    license: { kind: 'works', plan: 'standard', until: from(now, 20 * day), worksUntil: from(now, 7 * day) },
    lease: sampleLease(now),
    features: featuresOf('standard'),
    thisDevice: {
      deviceId: 'HW-01234567-89ABCDEF-01234567-89ABCDEF',
      name: 'Studio Mac',
      isNameGiven: false,
      platform: 'macOS arm64',
      activated: true,
      activationId: 'a-1',
      license: summary,
    },
    devices: { value: sampleDevices(now), loading: false, failure: null },
    places: { released: [], newDevices: [] },
    sessions: { value: sampleSessions(now), loading: false, failure: null },
    isEmailUnconfirmed: false,
    pendingEmail: null,
    apiKey: null,
    heartbeat: { lastAt: from(now, -2 * minute), nextAt: from(now, 3 * minute), lastFailure: null },
    installer: { kind: 'idle' },
    keyScan: { kind: 'idle' },
    clock: 'in-sync',
    warnings: [],
    activity: sampleActivity(now),
    secretStorage: 'keyring',
    settings: { heartbeatIntervalSeconds: 300, startAtLogin: false, theme: 'system', language: 'system' },
    syncing: false,
  };
}

/** A released device that keeps its place, and a license with one new device left. */
export function samplePlaces(now: number): AppState['places'] {
  const { keyPreview } = summary;
  return {
    released: [
      {
        activationId: 'a-9',
        keyPreview,
        name: 'Field Laptop',
        platform: 'linux x64',
        placeFreeAt: from(now, 9 * day),
      },
    ],
    newDevices: [{ keyPreview, remaining: 1, until: from(now, 20 * day) }],
  };
}

/** The first start, before signing in. */
export function signedOutState(now: number): AppState {
  return {
    ...filledState(now),
    session: { kind: 'signed-out', reason: null },
    license: { kind: 'unknown' },
    features: builtInFeatures.map((feature) => ({ feature, on: false, reason: { kind: 'signed-out' } })),
    devices: { value: null, loading: false, failure: null },
    sessions: { value: null, loading: false, failure: null },
    activity: [],
    heartbeat: { lastAt: null, nextAt: null, lastFailure: null },
  };
}

/** The first start of an app without a server of its own. */
export function firstServerState(now: number): AppState {
  const state = signedOutState(now);
  return { ...state, server: { ...state.server, address: null, reachability: { kind: 'unknown' } } };
}

/** Signed in, before a license key was entered. */
export function firstRunState(now: number): AppState {
  const filled = filledState(now);
  const license: LicenseState = { kind: 'not-activated' };
  return {
    ...filled,
    license,
    features: featuresOff(license),
    thisDevice: filled.thisDevice && { ...filled.thisDevice, activated: false, activationId: null, license: null },
    devices: { value: [], loading: false, failure: null },
    heartbeat: { lastAt: null, nextAt: from(now, 8000), lastFailure: null },
    activity: [{ id: 1, at: from(now, -4000), kind: 'signed-in', detail: 'ada@lab.org' }],
  };
}

/** The server cannot be reached; the last entitlement is still in its grace period. */
export function offlineState(now: number): AppState {
  const since = from(now, -40 * minute);
  return {
    ...filledState(now),
    license: { kind: 'offline', plan: 'standard', since, worksUntil: from(now, 4 * day) },
    server: {
      address: 'https://license.lab.org',
      reachability: {
        kind: 'offline',
        since,
        nextTryAt: from(now, 30_000),
        failure: sampleFailure('SERVER_UNREACHABLE', now, { requestId: undefined }),
      },
      ...sampleCapabilities,
    },
  };
}

/** Signed in with a license that is not valid. */
export function blockedState(now: number, reason: Extract<LicenseState, { kind: 'blocked' }>['reason']): AppState {
  const license: LicenseState = { kind: 'blocked', reason };
  return { ...filledState(now), license, features: featuresOff(license) };
}

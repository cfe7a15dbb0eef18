/** Sample app states for specs and pictures, with times near `now`. */
import type { Subscription } from '../../shared/api/subscription.ts';
import type {
  AccountSession,
  AccountState,
  ActivityEntry,
  AppState,
  Device,
  FeatureState,
  LicenseState,
  ServerOffers,
  ServerState,
  SignedOutReason,
} from '../../shared/ipc/app-state.ts';
import type { FeatureDecision } from '../../shared/ipc/decision.ts';
import type { Diagnostics } from '../../shared/ipc/diagnostics.ts';
import {
  type DoctorFinding,
  type DoctorReport,
  type DoctorStep,
  type DoctorStepName,
  doctorFindings,
  doctorStepNames,
} from '../../shared/ipc/doctor.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import { noUpdates } from '../../shared/ipc/updates.ts';
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

/** All features of a plan; the others are off because the plan lacks them. */
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
  ['license-checked', 'valid'],
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

/** A lease signed yesterday for two weeks. */
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

/** The offers of a server that has everything. */
export const sampleOffers: ServerOffers = {
  signUp: 'open',
  passwordMinLength: 8,
  mail: true,
  leases: true,
  accountPage: true,
};

/** The state with these properties of its server. */
export function withServer(state: AppState, server: Partial<ServerState>): AppState {
  return { ...state, server: { ...state.server, ...server } };
}

const sampleCapabilities = {
  lastAnswerAt: null,
  deviceList: 'available',
  leases: 'available',
  accountManagement: 'available',
  passwordReset: 'unknown',
  emailChange: 'available',
  offers: null,
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
      dataFolder: '/home/ada/.config/Latchkey',
      links: ['help', 'plans', 'security', 'releases'],
      shellCommand: 'latchkey',
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
      idSource: 'machine',
      name: 'Studio Mac',
      isNameGiven: false,
      platform: 'macOS arm64',
      activated: true,
      releasedElsewhere: false,
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
    updates: noUpdates('4.2.0'),
    keyScan: { kind: 'idle' },
    clock: 'in-sync',
    warnings: [],
    activity: sampleActivity(now),
    secretStorage: 'keyring',
    settings: {
      heartbeatIntervalSeconds: 300,
      startAtLogin: false,
      keepRunning: true,
      notifications: true,
      theme: 'system',
      language: 'system',
    },
    syncing: false,
    doctor: null,
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

/** The first start of an app without a preset server. */
export function firstServerState(now: number): AppState {
  const state = signedOutState(now);
  return { ...state, server: { ...state.server, address: null, reachability: { kind: 'unknown' } } };
}

/** The subscription was canceled, and ends in three days. */
export function endingState(now: number): AppState {
  const until = from(now, 3 * day);
  return {
    ...withSubscription(filledState(now), { cancel_at_period_end: true, current_period_end: until }),
    license: { kind: 'works', plan: 'standard', until, worksUntil: until },
  };
}

/** Returns the state with other values in the account's subscription. */
export function withSubscription(state: AppState, change: Partial<Subscription>): AppState {
  if (state.session.kind !== 'signed-in' || !state.session.account?.subscription) throw new Error('no subscription');
  const { account } = state.session;
  const subscription = { ...account.subscription, ...change } as Subscription;
  return { ...state, session: { ...state.session, account: { ...account, subscription } } };
}

/** The plan was changed to one for a single device, while two are activated. */
export function excessState(now: number): AppState {
  const state = withSubscription(filledState(now), { plan: 'free' });
  if (state.session.kind !== 'signed-in' || state.session.account === null) return state;
  const account = { ...state.session.account, features: seededPlans.free };
  return {
    ...state,
    session: { ...state.session, account },
    license: { kind: 'works', plan: 'free', until: from(now, 20 * day), worksUntil: from(now, 7 * day) },
    features: featuresOf('free'),
  };
}

/** The last payment has failed; everything works until the period ends. */
export function pastDueState(now: number): AppState {
  return withSubscription(filledState(now), { status: 'past_due' });
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

/** An explanation of a feature that is on due to a lease signed yesterday. */
export function sampleDecision(now: number, feature: string): FeatureDecision {
  const signed = { source: 'lease', result: 'pass', at: from(now, -day), until: from(now, 13 * day) } as const;
  const own = { source: 'app', result: 'pass', at: null, until: null } as const;
  return {
    feature,
    on: true,
    reason: null,
    decided_by: 'lease',
    chain: [
      { check: 'session', ...own },
      { check: 'device', ...signed },
      { check: 'license', source: 'server', result: 'pass', at: from(now, -minute), until: null },
      { check: 'lease', ...signed },
      { check: 'subscription', source: 'server', result: 'pass', at: from(now, -minute), until: from(now, 20 * day) },
      { check: 'plan', ...signed },
      { check: 'clock', ...own },
      { check: 'server', source: 'server', result: 'pass', at: from(now, -minute), until: from(now, 13 * day) },
    ],
  };
}

/** The session has expired, or nobody has ever signed in; everything works thanks to the lease. */
export function leasedState(now: number, reason: SignedOutReason | null): AppState {
  const license: LicenseState = { kind: 'works', plan: 'standard', until: null, worksUntil: from(now, 13 * day) };
  return { ...filledState(now), session: { kind: 'signed-out', reason }, license };
}

/** Activated, while the server has not signed a lease yet. */
export function waitingState(now: number): AppState {
  const license: LicenseState = { kind: 'waiting-for-lease' };
  const features = featuresOff(license).map(({ feature }) => ({
    feature,
    on: false as const,
    reason: { kind: 'waiting-for-lease' as const },
  }));
  return { ...filledState(now), license, features };
}

/** Three days, with one night without a network. */
export function sampleDiagnostics(now: number): Diagnostics {
  const at = (agoMs: number) => ({ at: from(now, -agoMs), monotonic_ms: 10 * day - agoMs });
  const hour = 60 * minute;
  return {
    timeline: [
      { ...at(3 * day), kind: 'start', version: '0.1.0', boot: { id: 'b', ms: minute } },
      { ...at(3 * day - minute), kind: 'command', command: 'signIn', outcome: 'done' },
      {
        ...at(3 * day - minute),
        kind: 'decision',
        license: 'works',
        reason: null,
        until: from(now, 11 * day),
        features_on: ['csv_export', 'api_access'],
      },
      {
        ...at(2 * day),
        kind: 'answer',
        endpoint: 'heartbeat',
        outcome: 'success',
        code: null,
        server_time: from(now, -2 * day),
        times: 1440,
        last_at: from(now, -day),
      },
      { ...at(day), kind: 'sleep' },
      { ...at(day - 8 * hour), kind: 'wake' },
      {
        ...at(day - 8 * hour),
        kind: 'answer',
        endpoint: 'heartbeat',
        outcome: 'inconclusive',
        code: 'SERVER_UNREACHABLE',
        server_time: null,
        times: 3,
        last_at: from(now, -day + 8 * hour),
      },
      { ...at(hour), kind: 'clock', jumped_ms: 25 * minute },
    ],
    connection: Array.from({ length: 72 }, (_, index) => ({
      hour: from(now, -(72 - index) * hour),
      answered: index > 40 && index < 48 ? 0 : 60,
      failed: index > 38 && index < 49 ? 20 : 0,
    })),
  };
}

/** A report in which each step has the given finding, or has passed if there is none. */
export function doctorReport(
  findings: Readonly<Partial<Record<DoctorStepName, DoctorFinding>>>,
  details: Readonly<Partial<Record<DoctorStepName, DoctorStep['detail']>>> = {},
): DoctorReport {
  const good = {
    address: 'address-valid',
    dns: 'name-resolved',
    tcp: 'connected',
    tls: 'certificate-trusted',
    proxy: 'proxy-none',
    clock: 'clock-in-sync',
    api: 'license-server',
    session: 'session-accepted',
    license: 'license-good',
    seat: 'seat-taken',
  } as const satisfies Record<DoctorStepName, DoctorFinding>;
  const steps = doctorStepNames.map((step, index) => {
    const finding = findings[step] ?? good[step];
    const { outcome, remedy } = doctorFindings[finding];
    const measured_ms = outcome === 'skipped' ? null : 2.5 * (index + 1);
    return { step, outcome, finding, detail: details[step] ?? null, measured_ms, remedy } as DoctorStep;
  });
  return { at: new Date().toISOString(), server: 'https://license.lab.org', steps };
}

/** The findings of the steps after a failed one; the clock is checked anyway. */
export function skippedAfter(failed: DoctorStepName): Partial<Record<DoctorStepName, DoctorFinding>> {
  const later = doctorStepNames.slice(doctorStepNames.indexOf(failed) + 1);
  return Object.fromEntries(later.map((step) => [step, step === 'clock' ? 'clock-unknown' : 'skipped']));
}

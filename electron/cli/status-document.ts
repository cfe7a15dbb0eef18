/** The output of `status`: the client's state in the terms of the API. */
import type { AppState, ClockState, FeatureState, LicenseState } from '../../shared/ipc/app-state.ts';

export type StatusContext = {
  /** The client's storage folder. */
  readonly profile: string;
  /** True if it is open in a window. */
  readonly hasWindow: boolean;
};

export type StatusDocument = ReturnType<typeof describeStatus>;

/** Returns the document of `status --json`; `unreadable` lists stored documents that cannot be read. */
export function describeStatus(state: AppState, { profile, hasWindow }: StatusContext, unreadable: readonly string[]) {
  const { app, server, session, thisDevice } = state;
  return {
    version: app.version,
    profile,
    window: hasWindow,
    server: {
      address: server.address,
      reachable: server.reachability.kind === 'unknown' ? null : server.reachability.kind === 'online',
      leases: server.leases === 'unknown' ? null : server.leases === 'available',
      last_answer_at: server.lastAnswerAt,
    },
    account: session.kind === 'signed-in' ? { id: session.user.id, email: session.user.email } : null,
    session: session.kind === 'signed-in' ? ('signed-in' as const) : ('signed-out' as const),
    session_ended: sessionEnded(session),
    device: {
      device_id: thisDevice?.deviceId ?? null,
      source: thisDevice?.idSource ?? null,
      name: thisDevice?.name ?? '',
      platform: thisDevice?.platform ?? app.platform,
    },
    license: describeLicense(state),
    lease: describeLease(state),
    features: Object.fromEntries(state.features.map((feature) => [feature.feature, describeFeature(feature)])),
    clock: clockWords[state.clock],
    secret_storage: state.secretStorage,
    store: { unreadable },
  };
}

export function describeLease({ lease }: AppState) {
  return {
    state: lease.state,
    problem: lease.problem,
    kid: lease.kid,
    keys: lease.keys,
    issued_at: lease.issuedAt,
    renew_after: lease.renewAfter,
    expires_at: lease.expiresAt,
  };
}

function sessionEnded(session: AppState['session']): string | null {
  if (session.kind !== 'signed-out' || session.reason === 'server-address-not-allowed') return null;
  return session.reason;
}

/** Returns the plan in effect; `null` if unknown. */
export function planOf({ license, thisDevice }: AppState): string | null {
  return 'plan' in license ? license.plan : (thisDevice?.license?.plan ?? null);
}

function describeLicense(state: AppState) {
  const { license, lease, thisDevice } = state;
  return {
    state: license.kind,
    reason: license.kind === 'blocked' ? license.reason : null,
    license: thisDevice?.license?.keyPreview ?? lease.license,
    plan: planOf(state),
    works_until: worksUntil(license),
  };
}

function worksUntil(license: LicenseState): string | null {
  return license.kind === 'works' || license.kind === 'offline' ? license.worksUntil : null;
}

function describeFeature(feature: FeatureState) {
  return feature.on ? { on: true, reason: null } : { on: false, reason: feature.reason.kind };
}

const clockWords = {
  'in-sync': 'in-sync',
  ahead: 'ahead',
  'maybe-ahead': 'ahead',
  behind: 'behind',
  contradictory: 'unknown',
} as const satisfies Record<ClockState, string>;

/** The current license state and features, and the gate of commands that require a feature. */
import type { FeatureFlag } from '../../shared/api/features.ts';
import type { FeatureState, LicenseState } from '../../shared/ipc/app-state.ts';
import { fail, type Result, succeed } from '../../shared/ipc/result.ts';
import { decideFeatures, decideLicenseState, featuresSignedOut } from './entitlement.ts';
import { failureNow } from './failure.ts';
import type { LicenseStore } from './license-store.ts';
import type { Clock } from './platform.ts';
import type { ReachabilityTracker } from './reachability.ts';
import type { Session } from './session.ts';
import type { TrustedTime } from './trusted-time.ts';

export type FeatureGateDeps = {
  readonly session: Session;
  readonly store: LicenseStore;
  readonly trustedTime: TrustedTime;
  readonly reachability: ReachabilityTracker;
  readonly clock: Clock;
};

export class FeatureGate {
  readonly #deps: FeatureGateDeps;

  constructor(deps: FeatureGateDeps) {
    this.#deps = deps;
  }

  license(): LicenseState {
    const { session, store, trustedTime, reachability } = this.#deps;
    if (!session.user) return { kind: 'unknown' };
    return decideLicenseState(store.facts, { nowMs: trustedTime.nowMs(), reachability: reachability.state });
  }

  features(license: LicenseState): FeatureState[] {
    const { session, store } = this.#deps;
    return session.user ? decideFeatures(store.facts, license) : featuresSignedOut();
  }

  /** Whether the feature is on; FEATURE_OFF if not. */
  check(flag: FeatureFlag): Result<true> {
    if (this.features(this.license()).some(({ feature, on }) => feature === flag && on)) return succeed(true);
    return fail(failureNow(this.#deps.clock, 'FEATURE_OFF', `The feature ${flag} is off.`, { feature: flag }));
  }
}

/** The current license state and features, and the gate of commands that require a feature. */
import type { ClockState, FeatureState, LicenseState } from '../../shared/ipc/app-state.ts';
import { fail, type Result, succeed } from '../../shared/ipc/result.ts';
import { decideFeatures, decideLicenseState, featuresSignedOut, isCheckedInFuture } from './entitlement.ts';
import { failureNow } from './failure.ts';
import type { FeatureTexts } from './feature-texts.ts';
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
  readonly featureTexts: FeatureTexts;
};

export class FeatureGate {
  readonly #deps: FeatureGateDeps;

  constructor(deps: FeatureGateDeps) {
    this.#deps = deps;
  }

  license(): LicenseState {
    const { session, store, trustedTime, reachability } = this.#deps;
    if (!session.user) return { kind: 'unknown' };
    const nowMs = trustedTime.isUnknown ? Number.POSITIVE_INFINITY : trustedTime.nowMs();
    return decideLicenseState(store.facts, { nowMs, reachability: reachability.state });
  }

  /** Whether this machine's clock keeps the grace period from being measured, or misleads the user about it. */
  clockState(): ClockState {
    const { session, store, trustedTime } = this.#deps;
    const contradictory = trustedTime.isUnknown || isCheckedInFuture(store.facts, trustedTime.nowMs());
    if (session.user && contradictory) return 'contradictory';
    if (trustedTime.isClockAhead) return 'ahead';
    return this.#endedByWallClock() ? 'maybe-ahead' : 'in-sync';
  }

  /** Whether the grace period has ended only by what the wall clock says of the time in which the machine was off. */
  #endedByWallClock(): boolean {
    const { session, store, trustedTime, reachability } = this.#deps;
    if (!session.user || this.license().kind !== 'offline-ended') return false;
    const measured = { nowMs: trustedTime.measuredMs(), reachability: reachability.state };
    return decideLicenseState(store.facts, measured).kind !== 'offline-ended';
  }

  features(license: LicenseState): FeatureState[] {
    const { session, store, featureTexts } = this.#deps;
    return session.user
      ? decideFeatures(store.facts, license, featureTexts.names)
      : featuresSignedOut(featureTexts.names);
  }

  /** Whether the feature is on; FEATURE_OFF if not. */
  check(name: string): Result<true> {
    const state = this.features(this.license()).find(({ feature }) => feature === name);
    if (state?.on) return succeed(true);
    const reason = state?.reason.kind ?? 'unknown-feature';
    const message = state ? `The feature ${name} is off.` : `Neither the server nor the app knows a feature ${name}.`;
    return fail(failureNow(this.#deps.clock, 'FEATURE_OFF', message, { feature: name, reason }));
  }
}

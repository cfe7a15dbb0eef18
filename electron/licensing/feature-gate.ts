/** The current license state and features, and the check of commands that require a feature. */
import type { ClockState, FeatureState, LicenseState } from '../../shared/ipc/app-state.ts';
import type { FeatureDecision } from '../../shared/ipc/decision.ts';
import { fail, type Result, succeed } from '../../shared/ipc/result.ts';
import { decideFeatures, decideLicenseState, featuresSignedOut, isCheckedInFuture } from './entitlement.ts';
import { failureNow } from './failure.ts';
import type { FeatureTexts } from './feature-texts.ts';
import type { Lease } from './lease.ts';
import type { LicenseStore } from './license-store.ts';
import type { Clock } from './platform.ts';
import type { ReachabilityTracker } from './reachability.ts';
import type { Session } from './session.ts';
import type { TrustedTime } from './trusted-time.ts';
import { explainFeatures } from './why.ts';

type FeatureGateDeps = {
  readonly session: Session;
  readonly store: LicenseStore;
  readonly lease: Lease;
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

  /** While nobody is signed in, a good lease alone counts. */
  license(): LicenseState {
    const { session, trustedTime, lease } = this.#deps;
    if (!session.user && lease.goodClaims === null) return { kind: 'unknown' };
    return this.#decideAt(trustedTime.isUnknown ? Number.POSITIVE_INFINITY : trustedTime.nowMs());
  }

  #decideAt(nowMs: number): LicenseState {
    const { store, reachability, lease } = this.#deps;
    const { claims, floorMs, isNeeded } = lease;
    const input = { nowMs, reachability: reachability.state, lease: { claims, floorMs, isNeeded } };
    return decideLicenseState(store.facts, input);
  }

  /** Tells whether this machine's clock prevents measuring time offline, or misleads the user about it. */
  clockState(): ClockState {
    const { session, store, trustedTime, lease } = this.#deps;
    const contradictory =
      trustedTime.isUnknown || (!lease.isNeeded && isCheckedInFuture(store.facts, trustedTime.nowMs()));
    if (session.user && contradictory) return 'contradictory';
    if (trustedTime.isClockAhead) return 'ahead';
    if (trustedTime.isClockBehind) return 'behind';
    return this.#endedByWallClock() ? 'maybe-ahead' : 'in-sync';
  }

  /** True if the grace period has ended only by the wall clock's account of the time while the machine was off. */
  #endedByWallClock(): boolean {
    const { session, trustedTime, lease } = this.#deps;
    if (!session.user && lease.claims === null) return false;
    const hasEnded = (nowMs: number) => this.#decideAt(nowMs).kind === 'offline-ended';
    return hasEnded(trustedTime.nowMs()) && !hasEnded(trustedTime.measuredMs());
  }

  features(license: LicenseState): FeatureState[] {
    const { session, store, featureTexts, lease } = this.#deps;
    const { goodClaims } = lease;
    return session.user || goodClaims !== null
      ? decideFeatures(store.facts, license, {
          names: featureTexts.names,
          lease: goodClaims,
          arePinned: lease.arePinned,
        })
      : featuresSignedOut(featureTexts.names);
  }

  /** Explains each feature, in the order of `features`. */
  why(): FeatureDecision[] {
    const { session, store, trustedTime, reachability, lease } = this.#deps;
    const license = this.license();
    const input = {
      facts: store.facts,
      isSignedIn: session.user !== null,
      license,
      lease: lease.claims,
      goodLease: lease.goodClaims,
      isLeaseNeeded: lease.isNeeded,
      reachability: reachability.state,
      lastAnswerAt: reachability.lastAnswerAt ?? store.facts.status?.at ?? null,
      clock: this.clockState(),
      nowMs: trustedTime.nowMs(),
    };
    return explainFeatures(this.features(license), input);
  }

  /** Fails with FEATURE_OFF if the feature is off. */
  check(name: string): Result<true> {
    const state = this.features(this.license()).find(({ feature }) => feature === name);
    if (state?.on) return succeed(true);
    const reason = state?.reason.kind ?? 'unknown-feature';
    const message = state ? `The feature ${name} is off.` : `Neither the server nor the app knows a feature ${name}.`;
    return fail(failureNow(this.#deps.clock, 'FEATURE_OFF', message, { feature: name, reason }));
  }
}

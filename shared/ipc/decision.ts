/** Explains why a feature is on or off: each check, as shown in the window and on the command line. */
import type { Timestamp } from './app-state.ts';

const decisionChecks = ['session', 'device', 'license', 'lease', 'subscription', 'plan', 'clock', 'server'] as const;

export type DecisionStep = {
  readonly check: (typeof decisionChecks)[number];
  /** Source of the result: a live server response, a signed lease, the stored last response, or this app. */
  readonly source: 'server' | 'lease' | 'stored' | 'app';
  /** `unknown`: nothing is known, or it does not matter here. */
  readonly result: 'pass' | 'fail' | 'unknown';
  /** Time of the source's information; `null` if current. */
  readonly at: Timestamp | null;
  /** End of validity; `null` if there is none or it is unknown. */
  readonly until: Timestamp | null;
};

export type FeatureDecision = {
  readonly feature: string;
  readonly on: boolean;
  /** `FeatureOffReason['kind']` or `unknown-feature`; `null` while the feature is on. */
  readonly reason: string | null;
  /** The check that decided. */
  readonly decided_by: DecisionStep['check'];
  readonly chain: readonly DecisionStep[];
};

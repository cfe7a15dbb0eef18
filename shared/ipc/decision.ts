/** Why a feature is on or off: each thing that was looked at, as the window and the command line show it. */
import type { Timestamp } from './app-state.ts';

export const decisionChecks = [
  'session',
  'device',
  'license',
  'lease',
  'subscription',
  'plan',
  'clock',
  'server',
] as const;

export type DecisionStep = {
  readonly check: (typeof decisionChecks)[number];
  /** Who said so: the server just now, a lease that it signed, what is stored of its last answer, or this app. */
  readonly source: 'server' | 'lease' | 'stored' | 'app';
  /** `unknown`: nothing is known of it, or it does not matter here. */
  readonly result: 'pass' | 'fail' | 'unknown';
  /** When it was said; `null` for what is true now. */
  readonly at: Timestamp | null;
  /** Until when it holds; `null` where there is no end, or none is known. */
  readonly until: Timestamp | null;
};

export type FeatureDecision = {
  readonly feature: string;
  readonly on: boolean;
  /** `FeatureOffReason['kind']`, or `unknown-feature`; `null` while it is on. */
  readonly reason: string | null;
  /** The step that decided. */
  readonly decided_by: DecisionStep['check'];
  readonly chain: readonly DecisionStep[];
};

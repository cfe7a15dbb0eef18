/** What the saved answers entitle this device to at a moment. Pure: the one place that decides it. */
import type { SubscriptionStatusResponse } from '../../shared/api/subscription.ts';
import type { BlockedReason, LicenseState, Reachability } from '../../shared/ipc/app-state.ts';
import { instantOf } from './failure.ts';
import type { SavedFacts } from './saved-state.ts';

/** How long the last conclusive yes stands without another. */
export const graceMs = 7 * 24 * 3_600_000;

export type Evidence = Pick<SavedFacts, 'licenseKey' | 'validation' | 'status'>;

export type Moment = {
  /** A time that cannot be set back. */
  readonly nowMs: number;
  readonly reachability: Reachability;
};

/** The one true sentence about the license of this device. */
export function judgeLicense(evidence: Evidence, moment: Moment): LicenseState {
  if (evidence.licenseKey === null) return withoutKey(evidence);
  const { validation } = evidence;
  if (!validation) return { kind: 'unknown' };
  if (!validation.answer.valid) return { kind: 'blocked', reason: blockedReason(validation.answer.code) };
  if (!validation.answer.already_activated_on_device) return { kind: 'not-activated' };
  return entitled(evidence, validation.answer.plan, Date.parse(validation.at), moment);
}

function withoutKey({ status }: Evidence): LicenseState {
  if (!status) return { kind: 'unknown' };
  const { license } = status.answer;
  if (!license) return { kind: 'no-license' };
  switch (license.status) {
    case 'revoked':
    case 'expired':
      return { kind: 'blocked', reason: license.status };
    case 'inactive':
      return { kind: 'blocked', reason: 'suspended' };
    default:
      return { kind: 'not-activated' };
  }
}

function entitled(evidence: Evidence, plan: string, checkedAtMs: number, moment: Moment): LicenseState {
  const { reachability, nowMs } = moment;
  const worksUntilMs = graceEndMs(evidence.status?.answer, checkedAtMs);
  const since = reachability.kind === 'offline' ? reachability.since : instantOf(checkedAtMs);
  if (nowMs >= worksUntilMs) return { kind: 'offline-ended', since };
  if (reachability.kind === 'offline') {
    return { kind: 'offline', plan, since, worksUntil: instantOf(worksUntilMs) };
  }
  return { kind: 'works', plan, until: periodEnd(evidence.status?.answer, nowMs) };
}

/** A subscription that was canceled for the end of its period takes the grace with it, unless that was over before. */
function graceEndMs(status: SubscriptionStatusResponse | undefined, checkedAtMs: number): number {
  const endMs = checkedAtMs + graceMs;
  if (!status?.has_subscription || !status.subscription.cancel_at_period_end) return endMs;
  const periodEndMs = Date.parse(status.subscription.current_period_end);
  return periodEndMs > checkedAtMs ? Math.min(endMs, periodEndMs) : endMs;
}

function periodEnd(status: SubscriptionStatusResponse | undefined, nowMs: number): string | null {
  if (!status?.has_subscription) return null;
  const { current_period_end: end } = status.subscription;
  return Date.parse(end) > nowMs ? end : null;
}

/** Every `valid: false` is conclusive; a code that we do not know reads as suspended. */
function blockedReason(code: string): BlockedReason {
  switch (code) {
    case 'LICENSE_REVOKED':
      return 'revoked';
    case 'LICENSE_EXPIRED':
      return 'expired';
    case 'SUBSCRIPTION_INACTIVE':
      return 'subscription-ended';
    case 'LICENSE_NOT_FOUND':
      return 'not-found';
    default:
      return 'suspended';
  }
}

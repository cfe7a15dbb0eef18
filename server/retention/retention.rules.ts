/**
 * Decides what is deleted because of its age, and by which time ages are measured. Deletion is final, and the system
 * clock can be wrong: weeks ahead, until a time server corrects it. So ages are measured by a stored time that follows
 * the clock slowly.
 */
import { dayMs, hourMs } from '../clock.ts';

export const retentionIntervalMs = hourMs;
/** The clock may go back by this much between two runs without having jumped: a time server corrects it so. */
const maxDriftMs = 60_000;
/** So long may pass between two runs without the clock having jumped: the server was off, or busy. */
const maxGapMs = dayMs;

/** How far behind the clock the retention time starts in a database that is in use. */
const firstLagMs = 30 * dayMs;

/** A clock without jumps for this long is trusted, however far it is from the retention time. */
const trustedAfterMs = 30 * dayMs;

/** Minimum, however short the setting is: a clock that is ahead by no more than this costs no live session. */
const leastHistoryMs = 7 * dayMs;

/** The allowance of new devices counts releases within 30 days. */
const allowanceMs = 30 * dayMs;
/** For this long an expired refresh token is still answered with TOKEN_EXPIRED. */
const refreshTokenMs = 30 * dayMs;
/**
 * A used refresh token is recognized for as long as a copy of it could have been valid, plus a day for clock
 * differences. After that it is an unknown token. Its session and the unused successor are not affected.
 */
const usedRefreshTokenMs = dayMs;
/** How long an event that was delivered, or given up, can be sent again. */
const deliveryMs = 30 * dayMs;
/** Nobody is reminded after the end of the subject; the time covers a clock that is set back. */
const reminderMs = 30 * dayMs;
/** How far back a heartbeat looks, see `heartbeat.rules.ts`. */
const deviceActivityMs = dayMs;

/** Banks accept a dispute up to 540 days after the payment. */
const disputeMs = 550 * dayMs;

export const retainedKinds = [
  'activations',
  'api_keys',
  'used_refresh_tokens',
  'refresh_tokens',
  'sessions',
  'device_activity',
  'idempotent_responses',
  'billing_events',
  'billing_payments',
  'event_deliveries',
  'reminders',
] as const;
export type RetainedKind = (typeof retainedKinds)[number];

/** Returns how long each kind is kept after it ended. `settingMs` is the setting for history. */
export function retentionOf(kind: RetainedKind | 'audit_events', settingMs: number): number {
  const historyMs = Math.max(settingMs, leastHistoryMs);
  return {
    activations: Math.max(historyMs, allowanceMs),
    api_keys: historyMs,
    sessions: historyMs,
    audit_events: historyMs,
    billing_events: historyMs,
    billing_payments: Math.max(historyMs, disputeMs),
    refresh_tokens: Math.min(historyMs, refreshTokenMs),
    used_refresh_tokens: usedRefreshTokenMs,
    device_activity: deviceActivityMs,
    event_deliveries: Math.min(historyMs, deliveryMs),
    reminders: Math.min(historyMs, reminderMs),
    idempotent_responses: 0,
  }[kind];
}

/** What a run stores for the next one. */
export type RetentionRun = {
  /** When it ran, by the clock. */
  readonly atMs: number;
  /** The time by which it measured ages. */
  readonly retentionTimeMs: number;
  /** Since this time every run came at most a day after the previous one, and never before it by the clock. */
  readonly steadySinceMs: number;
};

/**
 * Returns the current run, with the time by which it measures ages.
 *
 * That time is not simply the clock, which may be weeks ahead while running steadily, and would make every live session
 * look long expired. It advances by at most twice the time between two runs, and by at most two hours per run. So it
 * stays equal to a correct clock and catches up slowly after the server was off, while a wrong clock gains at most one
 * extra hour per hour, which leaves time to correct it. It is never ahead of the clock, so a correction undoes what was
 * gained. After 30 days without a jump it is set to the clock, because it may be years behind if the clock once was,
 * for example at the first start of a machine.
 *
 * The first run has only the clock to go by: it starts 30 days behind it, unless there are no users with data to lose.
 */
export function decideRun(atMs: number, last: RetentionRun | undefined, hasUsers: boolean): RetentionRun {
  if (!last) return { atMs, retentionTimeMs: hasUsers ? atMs - firstLagMs : atMs, steadySinceMs: atMs };
  const sinceMs = atMs - last.atMs;
  const isSteady = sinceMs >= -maxDriftMs && sinceMs <= maxGapMs;
  const steadySinceMs = isSteady ? last.steadySinceMs : atMs;
  if (atMs - steadySinceMs >= trustedAfterMs) return { atMs, retentionTimeMs: atMs, steadySinceMs };
  // Several processes on one database may run more often than once per interval.
  const nextMs = last.retentionTimeMs + 2 * Math.min(retentionIntervalMs, Math.abs(sinceMs));
  return { atMs, retentionTimeMs: Math.min(atMs, nextMs), steadySinceMs };
}

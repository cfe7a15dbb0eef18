/**
 * What is deleted for its age, by which time ages are measured, and when the clock may be trusted for that.
 *
 * Deletion is final, and the system's clock can be wrong: ahead by weeks until a time server corrects it. So nothing is
 * deleted right after the clock jumped, measured by the monotonic clock, nor when the last run is further back than the
 * server is usually off: it may have been off, or the clock may be ahead. Both are waited out until the clock has
 * been steady for a while. A clock can be steady and still wrong, so ages are measured by a stored time that follows the
 * clock slowly, see `decideRetentionTime`.
 */
const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

export const retentionIntervalMs = hourMs;
/** How long the clock has to be steady after a jump, or after a long time without a run. */
export const steadyAfterMs = 6 * hourMs;
const maxDriftMs = 60_000;
const maxGapMs = dayMs;

/** How far behind the clock the retention time begins in a database that is in use. */
const firstLagMs = 30 * dayMs;

/** A clock that has been right by all accounts for so long is followed, however far it is from the retention time. */
const trustedAfterMs = 30 * dayMs;

/** However short the setting is: a clock that is ahead for no longer than that costs no live session. */
const leastHistoryMs = 7 * dayMs;

/** The allowance of new devices counts the releases of 30 days. */
const allowanceMs = 30 * dayMs;
/** Until then an expired refresh token still reads TOKEN_EXPIRED. */
const refreshTokenMs = 30 * dayMs;
/**
 * A refresh token that was used is recognized for as long as a copy of it could have been valid; the day more is for
 * clocks that differ. After that it is an unknown token. Its session, and the unused successor, are not affected.
 */
const usedRefreshTokenMs = dayMs;
/** So long an event that was delivered, or given up, can be sent again. */
const deliveryMs = 30 * dayMs;
/** As far back as a heartbeat looks, see `heartbeat.rules.ts`. */
const deviceActivityMs = dayMs;

export const retainedKinds = [
  'activations',
  'api_keys',
  'used_refresh_tokens',
  'refresh_tokens',
  'refresh_families',
  'device_sightings',
  'api_key_responses',
  'billing_events',
  'event_deliveries',
] as const;
export type RetainedKind = (typeof retainedKinds)[number];

/** How long each kind is stored after it ended. `settingMs` is the setting for history. */
export function retentionOf(kind: RetainedKind | 'audit_events', settingMs: number): number {
  const historyMs = Math.max(settingMs, leastHistoryMs);
  switch (kind) {
    case 'activations':
      return Math.max(historyMs, allowanceMs);
    case 'api_keys':
    case 'refresh_families':
    case 'audit_events':
    case 'billing_events':
      return historyMs;
    case 'refresh_tokens':
      return Math.min(historyMs, refreshTokenMs);
    case 'used_refresh_tokens':
      return usedRefreshTokenMs;
    case 'device_sightings':
      return deviceActivityMs;
    case 'event_deliveries':
      return Math.min(historyMs, deliveryMs);
    case 'api_key_responses':
      return 0;
  }
}

export type RetentionTimeInput = {
  readonly wallMs: number;
  /** The stored retention time; `undefined` at the first run on the database. */
  readonly storedMs: number | undefined;
  readonly lastRunMs: number | undefined;
  /** See `decideSteadySince`. */
  readonly steadySinceMs: number;
  readonly hasUsers: boolean;
};

/**
 * The time by which a run measures ages, to be stored for the next run.
 *
 * It is not the clock itself: that may be weeks ahead and run steadily, and would make every live session look long
 * expired. It moves by at most twice the time between two runs, and at most two hours per run. So it stays equal to a
 * correct clock and catches up slowly after the server was off, while a wrong clock gains at most one extra hour per
 * hour, which leaves time to correct it. It is never ahead of the clock, so a correction undoes what was gained.
 * After 30 days without a jump it is the clock: it may be years behind because the clock once was, at the first start of
 * a machine for example.
 *
 * The first run has only the clock to go by: it starts 30 days behind it, unless there are no users with data to lose.
 */
export function decideRetentionTime({
  wallMs,
  storedMs,
  lastRunMs,
  steadySinceMs,
  hasUsers,
}: RetentionTimeInput): number {
  if (storedMs === undefined) return hasUsers ? wallMs - firstLagMs : wallMs;
  if (wallMs - steadySinceMs >= trustedAfterMs) return wallMs;
  // Several processes on one database may run more often than once per interval.
  const sinceMs = lastRunMs === undefined ? retentionIntervalMs : Math.abs(wallMs - lastRunMs);
  return Math.min(wallMs, storedMs + 2 * Math.min(retentionIntervalMs, sinceMs));
}

/** Since when there were runs without a gap or a jump of more than a day, to be stored for the next run. */
export function decideSteadySince(wallMs: number, lastRunMs: number | undefined, storedMs: number | undefined): number {
  return isRecent(wallMs, lastRunMs) ? (storedMs ?? wallMs) : wallMs;
}

function isRecent(wallMs: number, lastRunMs: number | undefined): boolean {
  if (lastRunMs === undefined) return false;
  return wallMs - lastRunMs >= -maxDriftMs && wallMs - lastRunMs <= maxGapMs;
}

export type ClockReading = { readonly wallMs: number; readonly monotonicMs: number };

export type ClockState =
  | { readonly kind: 'started' }
  | { readonly kind: 'steady'; readonly reading: ClockReading }
  | {
      readonly kind: 'waiting';
      readonly reading: ClockReading;
      readonly sinceMonotonicMs: number;
      /** The last run when the wait began. */
      readonly lastRunMs: number | undefined;
    };

/** Why a wait begins: the clock jumped by that much, or the last run is that far away (`undefined`: there was none). */
export type WaitReason =
  | { readonly kind: 'clock_jumped'; readonly byMs: number }
  | { readonly kind: 'no_recent_run'; readonly sinceMs: number | undefined };

export type RetentionDecision =
  | { readonly action: 'delete'; readonly state: ClockState }
  | { readonly action: 'wait'; readonly state: ClockState; readonly reason?: WaitReason };

/** `lastRunMs` is when any process on the database last deleted. */
export function decideRetention(
  state: ClockState,
  reading: ClockReading,
  lastRunMs: number | undefined,
): RetentionDecision {
  const byMs = readDrift(state, reading);
  if (Math.abs(byMs) > maxDriftMs) return wait(reading, lastRunMs, { kind: 'clock_jumped', byMs });
  const hasRecentRun = isRecent(reading.wallMs, lastRunMs);
  if (state.kind !== 'waiting') {
    if (hasRecentRun) return { action: 'delete', state: { kind: 'steady', reading } };
    const sinceMs = lastRunMs === undefined ? undefined : reading.wallMs - lastRunMs;
    return wait(reading, lastRunMs, { kind: 'no_recent_run', sinceMs });
  }
  // Another process has run meanwhile, so it is this clock that is wrong.
  if (lastRunMs !== state.lastRunMs && !hasRecentRun) return wait(reading, lastRunMs);
  const isSteady = reading.monotonicMs - state.sinceMonotonicMs >= steadyAfterMs;
  if (isSteady) return { action: 'delete', state: { kind: 'steady', reading } };
  return { action: 'wait', state: { ...state, reading } };
}

function wait(reading: ClockReading, lastRunMs: number | undefined, reason?: WaitReason): RetentionDecision {
  const state = { kind: 'waiting', reading, sinceMonotonicMs: reading.monotonicMs, lastRunMs } as const;
  return { action: 'wait', state, ...(reason && { reason }) };
}

/** By how much the time of day moved more than the monotonic clock. */
function readDrift(state: ClockState, reading: ClockReading): number {
  if (state.kind === 'started') return 0;
  const wallMs = reading.wallMs - state.reading.wallMs;
  return wallMs - (reading.monotonicMs - state.reading.monotonicMs);
}

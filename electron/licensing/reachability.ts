/** Whether the server answers, judged by how calls end. */
import type { Reachability } from '../../shared/ipc/app-state.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import { instantOf } from './failure.ts';
import type { ApiOutcome } from './read-answer.ts';

/** What one outcome says of the server; a refusal to talk now (429) or a fault in one answer says nothing. */
function judgeReach(outcome: ApiOutcome<unknown>): 'online' | 'offline' | 'unchanged' {
  switch (outcome.kind) {
    case 'answer':
    case 'refused':
    case 'missing':
      return 'online';
    case 'inconclusive':
      return tellsNothing.has(outcome.failure.code) ? 'unchanged' : 'offline';
  }
}

const tellsNothing = new Set<string>(['RATE_LIMITED', 'INTERNAL_ERROR', 'CANCELED']);

export type ReachabilityTracker = {
  readonly now: () => Reachability;
  readonly note: (outcome: ApiOutcome<unknown>) => void;
  /** When the schedule asks again. */
  readonly expectNextTry: (atMs: number | null) => void;
  /** Another server: nothing is known of it. */
  readonly forget: () => void;
};

/** Follows the outcomes; `onTurn` hears of each change between online and offline. */
export function createReachability(
  onTurn: (to: 'online' | 'offline', failure: Failure | null) => void,
): ReachabilityTracker {
  let state: Reachability = { kind: 'unknown' };
  let nextTryAt: string | null = null;

  function goOffline(failure: Failure): void {
    const since = state.kind === 'offline' ? state.since : failure.at;
    const turned = state.kind !== 'offline';
    state = { kind: 'offline', since, nextTryAt, failure };
    if (turned) onTurn('offline', failure);
  }

  function goOnline(): void {
    const turned = state.kind === 'offline';
    state = { kind: 'online' };
    if (turned) onTurn('online', null);
  }

  return {
    now: () => state,
    note: (outcome) => {
      const reach = judgeReach(outcome);
      if (reach === 'online') goOnline();
      if (reach === 'offline' && outcome.kind === 'inconclusive') goOffline(outcome.failure);
    },
    expectNextTry: (atMs) => {
      nextTryAt = atMs === null ? null : instantOf(atMs);
      if (state.kind === 'offline') state = { ...state, nextTryAt };
    },
    forget: () => {
      state = { kind: 'unknown' };
    },
  };
}

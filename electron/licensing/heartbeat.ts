/** Reports that this device is in use, and takes up the warning that comes back. */
import type { HeartbeatResponse } from '../../shared/api/heartbeat.ts';
import type { Warning } from '../../shared/ipc/app-state.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import { boundSentence, instantOf, isEndOfSession } from './failure.ts';
import type { Clock } from './platform.ts';
import type { ApiOutcome } from './read-answer.ts';
import type { Session } from './session.ts';
import { dismissWarning, noWarnings, takeHeartbeat } from './warnings.ts';

export type Heartbeat = {
  readonly send: () => Promise<ApiOutcome<HeartbeatResponse>>;
  readonly lastAt: () => string | null;
  readonly lastFailure: () => Failure | null;
  readonly warnings: () => readonly Warning[];
  readonly dismiss: (id: string) => void;
  /** What was said before this device was activated may hold no more; the next heartbeat says what does. */
  readonly clearWarnings: () => void;
  /** Forgets what belonged to the account that has signed out. */
  readonly forget: () => void;
};

export type HeartbeatParts = {
  readonly session: Session;
  readonly clock: Clock;
  readonly activity: ActivityLog;
  readonly deviceId: () => string;
  readonly onChange: () => void;
};

/** A heart that has not beaten yet. */
export function createHeartbeat(parts: HeartbeatParts): Heartbeat {
  const { session, clock, activity } = parts;
  let lastAt: string | null = null;
  let lastFailure: Failure | null = null;
  let warnings = noWarnings;

  function takeAnswer(answer: HeartbeatResponse): void {
    lastAt = instantOf(clock.now());
    lastFailure = null;
    activity.add('heartbeat');
    const text = answer.warning === undefined ? null : boundSentence(answer.warning);
    const step = takeHeartbeat(warnings, text, lastAt);
    warnings = step.list;
    if (step.news) activity.add('heartbeat-warning', step.news.text);
  }

  return {
    send: async () => {
      const outcome = await session.call('heartbeat', { body: { device_id: parts.deviceId() } });
      if (outcome.kind === 'answer') takeAnswer(outcome.answer);
      else if (!isEndOfSession(outcome.failure)) lastFailure = outcome.failure;
      parts.onChange();
      return outcome;
    },
    lastAt: () => lastAt,
    lastFailure: () => lastFailure,
    warnings: () => warnings.shown,
    dismiss: (id) => {
      warnings = dismissWarning(warnings, id);
      parts.onChange();
    },
    clearWarnings: () => {
      warnings = noWarnings;
    },
    forget: () => {
      lastAt = null;
      lastFailure = null;
      warnings = noWarnings;
    },
  };
}

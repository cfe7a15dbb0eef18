/** One check with the server: heartbeat, then the license, then the account. Every outcome is noted, none ends it but silence. */
import type { Failure } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import type { DeviceList } from './device-list.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { LicenseCheck } from './license-check.ts';
import type { ApiOutcome } from './read-answer.ts';
import type { SavedState } from './saved-state.ts';
import type { TrustedTime } from './trusted-time.ts';

export type RoundResult = {
  /** The first call that gave nothing conclusive. */
  readonly failure: Failure | null;
  /** The longest wait that the server asked for. */
  readonly retryAfterSeconds: number | null;
};

export type CheckRoundParts = {
  readonly heartbeat: Heartbeat;
  readonly check: LicenseCheck;
  readonly devices: DeviceList;
  readonly saved: SavedState;
  readonly activity: ActivityLog;
  readonly trustedTime: TrustedTime;
  readonly isSignedIn: () => boolean;
};

/** The round; `requested` is one that a person has asked for, which is always noted. */
export function createCheckRound(parts: CheckRoundParts): (requested: boolean) => Promise<RoundResult> {
  const { heartbeat, check, devices, saved, activity } = parts;

  return async function runRound(requested) {
    const failures: Failure[] = [];
    const note = <A>(outcome: ApiOutcome<A>): boolean => {
      if (outcome.kind === 'inconclusive') failures.push(outcome.failure);
      return outcome.kind !== 'inconclusive' || answersAtAll(outcome.failure);
    };
    await saved.reopen();
    const goOn = note(await heartbeat.send()) && (await validate(note, requested)) && note(await check.status());
    if (goOn && (devices.capability() === 'unknown' || (requested && devices.capability() === 'available'))) {
      await devices.load();
    }
    await saveRound();
    return { failure: failures[0] ?? null, retryAfterSeconds: longestWait(failures) };
  };

  async function validate(note: <A>(outcome: ApiOutcome<A>) => boolean, requested: boolean): Promise<boolean> {
    const before = verdictOf(saved);
    const outcome = await check.validateHeld();
    if (!outcome) return true;
    const verdict = verdictOf(saved);
    if (outcome.kind === 'answer' && (requested || verdict !== before)) {
      activity.add(outcome.answer.valid ? 'license-checked' : 'license-refused', verdict);
    }
    return note(outcome);
  }

  async function saveRound(): Promise<void> {
    if (!parts.isSignedIn()) return;
    await saved.update({ activity: [...activity.entries()], highestWallMs: parts.trustedTime.nowMs() });
  }
}

/** Where nothing answers, the remaining calls would only wait as well. */
function answersAtAll(failure: Failure): boolean {
  switch (failure.code) {
    case 'SERVER_UNREACHABLE':
    case 'CANCELED':
    case 'NOT_SIGNED_IN':
    case 'STORE_UNAVAILABLE':
      return false;
    default:
      return true;
  }
}

function verdictOf(saved: SavedState): string | null {
  const answer = saved.facts().validation?.answer;
  if (!answer) return null;
  if (!answer.valid) return answer.code;
  return answer.already_activated_on_device ? 'valid' : 'not-activated';
}

function longestWait(failures: readonly Failure[]): number | null {
  const waits = failures.flatMap((failure) => failure.retryAfterSeconds ?? []);
  return waits.length > 0 ? Math.max(...waits) : null;
}

/** Reports to the server that this device is in use, and receives its warnings. */
import type { HeartbeatResponse } from '../../shared/api/heartbeat.ts';
import type { Warning } from '../../shared/ipc/app-state.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import type { ActivityLog } from './activity-log.ts';
import { type ApiResult, parseServerTime } from './api-response.ts';
import type { ChangeNotifier } from './change-notifier.ts';
import type { DeviceIdentity } from './device-id.ts';
import { isEndOfSession, toTimestamp, truncateMessage } from './failure.ts';
import type { LicenseStore } from './license-store.ts';
import type { Clock, Random } from './platform.ts';
import type { Preferences } from './preferences.ts';
import type { Session } from './session.ts';
import type { TrustedTime } from './trusted-time.ts';
import { dismissWarning, noWarnings, updateWarnings, type WarningList } from './warnings.ts';

type HeartbeatDeps = {
  readonly preferences: Pick<Preferences, 'language'>;
  readonly session: Session;
  readonly store: Pick<LicenseStore, 'facts' | 'update'>;
  readonly deviceIdentity: DeviceIdentity;
  readonly activity: ActivityLog;
  readonly clock: Clock;
  readonly random: Random;
  readonly trustedTime: TrustedTime;
  readonly changes: ChangeNotifier;
};

export class Heartbeat {
  readonly #deps: HeartbeatDeps;
  #lastAt: string | null = null;
  #lastFailure: Failure | null = null;
  #shown: WarningList['shown'] = [];
  /** Number of times the warnings were cleared. */
  #clearings = 0;
  /**
   * Random for each start and session, and never stored: a value never recurs after the next one, and a copy of this
   * machine or profile has its own from its next start.
   */
  #instance: string;

  constructor(deps: HeartbeatDeps) {
    this.#deps = deps;
    this.#instance = deps.random.uuid();
  }

  /** Time of the last successful heartbeat. */
  get lastAt(): string | null {
    return this.#lastAt;
  }

  /** Why the last heartbeat failed; `null` after a success. */
  get lastFailure(): Failure | null {
    return this.#lastFailure;
  }

  get warnings(): readonly Warning[] {
    return this.#shown;
  }

  async send(): Promise<ApiResult<HeartbeatResponse>> {
    const { preferences, session, deviceIdentity, trustedTime, changes } = this.#deps;
    const { language } = preferences;
    const clearings = this.#clearings;
    const result = await session.call('heartbeat', {
      body: { device_id: deviceIdentity.id, instance: this.#instance },
      language,
    });
    if (result.kind === 'success') {
      if (result.serverTimeMs === null) trustedTime.confirm(parseServerTime(result.response.timestamp));
      this.#record(result.response, language, clearings);
    } else if (!isEndOfSession(result.failure, session)) this.#lastFailure = result.failure;
    changes.notify();
    return result;
  }

  dismissWarning(id: string): void {
    this.#setWarnings(dismissWarning(this.#warnings, id));
    this.#deps.changes.notify();
  }

  /** Clears the warnings after an activation; the next heartbeat brings those that still apply. */
  clearWarnings(): void {
    this.#clearings++;
    this.#setWarnings(noWarnings);
  }

  /** Clears the data of the account that has signed out. */
  forget(): void {
    this.#lastAt = null;
    this.#lastFailure = null;
    this.#shown = [];
    this.#instance = this.#deps.random.uuid();
  }

  get #warnings(): WarningList {
    return { shown: this.#shown, dismissed: this.#deps.store.facts.dismissedWarnings };
  }

  #setWarnings({ shown, dismissed }: WarningList): void {
    const { store } = this.#deps;
    this.#shown = shown;
    if (JSON.stringify(dismissed) !== JSON.stringify(store.facts.dismissedWarnings))
      void store.update({ dismissedWarnings: [...dismissed] });
  }

  #record(response: HeartbeatResponse, language: string, clearings: number): void {
    const { clock, activity } = this.#deps;
    this.#lastAt = toTimestamp(clock.now());
    this.#lastFailure = null;
    activity.add('heartbeat');
    // The server has judged the device as it was before.
    if (clearings !== this.#clearings) return;
    const { warning } = response;
    const received = warning === undefined ? null : { text: truncateMessage(warning), at: this.#lastAt, language };
    const { list, added } = updateWarnings(this.#warnings, received);
    this.#setWarnings(list);
    if (added) activity.add('heartbeat-warning', added.text);
  }
}

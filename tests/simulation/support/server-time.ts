/** The time of the recorded server; the file has it for each first response. */
import type { KnownFacts } from '../../../shared/ipc/diagnostics.ts';
import type { RecordedAnswer } from './recorded-answers.ts';
import type { ReplayClock } from './replay-clock.ts';

export class ServerTime {
  readonly #clock: ReplayClock;
  #last: { readonly serverMs: number; readonly trueMs: number } | null = null;

  constructor(clock: ReplayClock) {
    this.#clock = clock;
  }

  /** For a file that begins in the middle of a run: starts from what the client knew of the server time. */
  begin({ license }: KnownFacts): void {
    const { trustedMs, fromServer } = Object(license.time) as { trustedMs?: number; fromServer?: boolean };
    if (trustedMs !== undefined && fromServer) this.#last = { serverMs: trustedMs, trueMs: this.#clock.trueMs };
  }

  /** Returns the current time as the server tells it with this response, or `null` if it tells none. */
  at({ server_time, monotonic_ms }: RecordedAnswer): number | null {
    if (server_time === null) return null;
    const { trueMs } = this.#clock;
    const sinceMs = this.#clock.monotonic() - monotonic_ms;
    if (sinceMs <= 0 || this.#last === null) {
      this.#last = { serverMs: Date.parse(server_time) + Math.max(0, sinceMs), trueMs };
    }
    return this.#last.serverMs + trueMs - this.#last.trueMs;
  }
}

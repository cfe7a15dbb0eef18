/** The clocks of a machine for tests of `TrustedTime`, and what it stores. */
import type { BootTime } from '../../../electron/licensing/platform.ts';
import { type TimeReading, TrustedTime } from '../../../electron/licensing/trusted-time.ts';

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
export const startMs = Date.parse('2026-03-03T09:00:00.000Z');

/** The three clocks of a machine, each of which can be set. */
export class Clocks {
  wallMs = startMs;
  monotonicMs = 1000;
  boot: BootTime | null = { id: 'boot-1', ms: 50_000 };

  readonly clock = {
    now: () => this.wallMs,
    monotonic: () => this.monotonicMs,
    sinceBoot: () => this.boot && { ...this.boot },
    setTimer: () => () => {},
  };

  run(ms: number): void {
    this.monotonicMs += ms;
    this.sleep(ms);
  }

  sleep(ms: number): void {
    this.wallMs += ms;
    if (this.boot) this.boot = { ...this.boot, ms: this.boot.ms + ms };
  }

  /** Turns the machine off for `offMs`; it has been up for a second afterwards. */
  reboot(offMs: number, id: string | null = 'boot-2'): void {
    this.wallMs += offMs;
    this.boot = { id, ms: 1000 };
  }

  start(reading: TimeReading | null = null): TrustedTime {
    const time = new TrustedTime(this);
    time.restore(reading);
    return time;
  }
}

/** Returns the time as it is stored by an app that started with the server’s time. */
export const readingOf = (more: Partial<TimeReading> = {}): TimeReading => ({
  trustedMs: startMs,
  wallMs: startMs,
  fromServer: true,
  boot: { id: 'boot-1', ms: 50_000 },
  gap: null,
  signedMs: null,
  aheadMs: null,
  ...more,
});

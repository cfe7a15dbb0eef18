/** A device of the simulated day: when it is on, and what it remembers between its requests. */
import { nextSyncDelayMs } from '../../../electron/licensing/backoff.ts';
import { settings as appSettings } from '../../../shared/ipc/settings.ts';
import { deviceIdOf, refreshTokenOf, userIdOf } from '../seed/seeded-accounts.ts';

/** Share of devices that are on all day. The others start around nine, in one time zone, and run for eight hours. */
const alwaysOn = 0.2;
/** Share of devices with the window in the foreground, which sync every minute. */
const inForeground = 0.1;
/** Share of clients that send everything twice a second for an hour from ten. */
const broken = 0.001;

/** Interval of the desktop app in the background. */
export const intervalSeconds = appSettings.parse({}).heartbeatIntervalSeconds;

export class SimulatedDevice {
  readonly userId: string;
  readonly deviceId: string;
  readonly address: string;
  readonly isBroken: boolean;
  /** Start time, in seconds since midnight. */
  readonly onAt: number;
  readonly offAt: number;
  refreshToken: string;
  tokenUntilMs = 0;
  recordedAtMs: number | undefined;
  failures = 0;
  readonly #isForeground = Math.random() < inForeground;

  constructor(number: number, devices: number) {
    this.userId = userIdOf(number);
    this.deviceId = deviceIdOf(number);
    this.refreshToken = refreshTokenOf(number);
    this.address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    this.isBroken = number < devices * broken;
    const isAlwaysOn = Math.random() < alwaysOn;
    // The sum of three random numbers is nearly a normal distribution: nine o'clock ± an hour.
    const arrival = (9 + (Math.random() + Math.random() + Math.random() - 1.5) * 2) * 3600;
    this.onAt = isAlwaysOn ? 0 : Math.round(arrival);
    this.offAt = isAlwaysOn ? 24 * 3600 : Math.round(arrival + 8 * 3600);
  }

  /** Returns true while it asks twice a second instead of once per interval. */
  isLooping(at: number): boolean {
    return this.isBroken && at >= 10 * 3600 && at < 11 * 3600;
  }

  /** Returns the seconds until its next sync, using the desktop app's own pacing. */
  nextDelaySeconds(): number {
    const delayMs = nextSyncDelayMs({
      failures: this.failures,
      foreground: this.#isForeground,
      intervalSeconds,
      retryAfterSeconds: 0,
      fraction: Math.random(),
    });
    return delayMs / 1000;
  }
}

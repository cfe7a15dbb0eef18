/** A device of the simulated day: when it is on, and what it remembers between its requests. */
import { nextSyncDelayMs } from '../../../electron/licensing/backoff.ts';
import { settings as appSettings } from '../../../shared/ipc/settings.ts';
import { deviceIdOf, refreshTokenOf, userIdOf } from '../seed/seeded-accounts.ts';

/** One device in five is on all day. The others start around nine, in one time zone, and run for eight hours. */
const alwaysOn = 0.2;
/** In the window's foreground, where a device syncs each minute. */
const inForeground = 0.1;
/** Clients that send everything twice a second, for an hour from ten. */
const broken = 0.001;

/** Of the desktop app, in the background. */
export const intervalSeconds = appSettings.parse({}).heartbeatIntervalSeconds;

export class SimulatedDevice {
  readonly userId: string;
  readonly deviceId: string;
  readonly address: string;
  readonly isBroken: boolean;
  /** Seconds of the day. */
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
    // The sum of three is nearly a normal distribution: nine o'clock ± an hour.
    const arrival = (9 + (Math.random() + Math.random() + Math.random() - 1.5) * 2) * 3600;
    this.onAt = isAlwaysOn ? 0 : Math.round(arrival);
    this.offAt = isAlwaysOn ? 24 * 3600 : Math.round(arrival + 8 * 3600);
  }

  /** Whether it asks twice a second instead of once in its interval. */
  isLooping(at: number): boolean {
    return this.isBroken && at >= 10 * 3600 && at < 11 * 3600;
  }

  /** Seconds until its next sync, as the desktop app paces itself. */
  nextDelaySeconds(): number {
    const delayMs = nextSyncDelayMs({
      failures: this.failures,
      foreground: this.#isForeground,
      intervalSeconds,
      retryAfterSeconds: null,
      fraction: Math.random(),
    });
    return delayMs / 1000;
  }
}

/**
 * The time by the server's clock. It is measured on from the last response, so that this machine's wall clock can
 * neither extend a grace period nor date a response into the future, and so that a clock that was wrong for a while has
 * no effect once it is right.
 */
import { z } from 'zod';
import type { BootTime, Clock } from './platform.ts';

/** Tolerated difference between two clocks. */
export const clockToleranceMs = 5 * 60_000;

/**
 * How far the server's clock may be ahead of this machine's for a lease's time to become a permanent floor, and its
 * `Date` ahead of a lease in the same response.
 */
const maxAheadMs = 24 * 3_600_000;

/** The same moment on both clocks. */
const moment = z.object({ trustedMs: z.number(), wallMs: z.number() });
type Moment = z.infer<typeof moment>;

/**
 * Start of a period whose length only the wall clock tells, because the machine was off. `jumpedMs` is how far the wall
 * clock has since been set ahead of the measured time.
 */
const gap = moment.extend({ jumpedMs: z.number() });

/** Stored form: the measured time, and this machine's clocks at the same moment. */
export const timeReading = moment.extend({
  /** True if the trusted time is based on a time from the server. */
  fromServer: z.boolean(),
  /** Earlier versions did not measure across restarts. */
  boot: z.object({ id: z.string().nullable(), ms: z.number() }).nullable().default(null),
  gap: gap.nullable().default(null),
  /** Latest time signed by the server, plus what was measured since: it cannot be earlier. */
  signedMs: z.number().nullable().default(null),
  /** The same for times far ahead of this machine's clock: a floor only for leases of such times. */
  aheadMs: z.number().nullable().default(null),
});
export type TimeReading = z.infer<typeof timeReading>;

type MeasuredStart = { readonly trustedMs: number; readonly monotonicMs: number; readonly boot: BootTime | null };

type Reading = Omit<TimeReading, 'signedMs' | 'aheadMs'>;

type TrustedTimeDeps = { readonly clock: Clock };

export class TrustedTime {
  readonly #clock: Clock;
  #last: Reading;
  /** Start of the measurement. */
  #start: MeasuredStart;
  /** Start of the measurement from the latest signed time. A `Date` header is not signed, so it cannot move it back. */
  #signed: MeasuredStart | null = null;
  #ahead: MeasuredStart | null = null;
  /** True once the server has sent its time to this run of the app. */
  #confirmed = false;
  /** True if the server's `Date` is ignored. */
  #distrustsDate = false;
  /** A stored reading that the wall clock contradicts and that is not from the server. */
  #contradicted: TimeReading | null = null;

  constructor({ clock }: TrustedTimeDeps) {
    this.#clock = clock;
    this.#last = this.#readingOf(clock.now(), false);
    this.#start = this.#startAt(this.#last.trustedMs);
  }

  /**
   * Returns the measured time and, across a gap, what the wall clock claims for as long as it does so. Never goes back
   * by more than the wall clock alone has claimed, until the server sends an earlier time.
   */
  nowMs(): number {
    const measuredMs = this.measuredMs();
    const claimedMs = this.#last.gap === null ? measuredMs : timeByWallClock(this.#last.gap, this.#last.wallMs);
    return Math.max(measuredMs, claimedMs);
  }

  /**
   * Returns the part that needs no wall clock: time in which this machine ran or slept. At most the true time; never
   * goes back, nor behind `signedMs`, whatever the server sends.
   */
  measuredMs(): number {
    this.restore(this.#contradicted);
    this.#moveTo(Math.max(this.#measuredSince(this.#start), this.#last.trustedMs, this.signedMs ?? 0));
    return this.#last.trustedMs;
  }

  /** Latest time signed by the server, plus what was measured since; `null` if none was signed. */
  get signedMs(): number | null {
    return this.#signed && this.#measuredSince(this.#signed);
  }

  get #aheadMs(): number | null {
    return this.#ahead && this.#measuredSince(this.#ahead);
  }

  /**
   * True if a time signed by the server is far ahead of this machine's clock and of earlier signed times. One of the
   * two clocks is wrong, and it is unknown which: the time is used until the server says otherwise, but it is a floor
   * only for leases signed at such a time. So a server whose clock was ahead locks nobody out.
   */
  isAhead(signedMs: number): boolean {
    return signedMs - Math.max(this.#clock.now(), this.signedMs ?? 0) > maxAheadMs;
  }

  /**
   * Time of a refusal, after which no earlier lease counts. A `Date` far ahead would refuse every lease until then,
   * even once the server's clock is right.
   */
  get endMs(): number {
    const nowMs = this.nowMs();
    return this.isAhead(nowMs) ? Math.max(this.#clock.now(), this.signedMs ?? 0) : nowMs;
  }

  /** Returns the floor of a lease signed at a time that is not a floor for all. */
  floorMs(leaseIssuedMs: number): number {
    return leaseIssuedMs <= (this.signedMs ?? 0) ? 0 : (this.#aheadMs ?? 0);
  }

  /** Returns what to store and restore after a restart, without what the wall clock alone has claimed. */
  reading(): TimeReading {
    this.measuredMs();
    return { ...(this.#contradicted ?? this.#last), signedMs: this.signedMs, aheadMs: this.#aheadMs };
  }

  /** True if the wall clock is ahead of the time sent by the server. */
  get isClockAhead(): boolean {
    return this.#last.fromServer && this.#clock.now() - this.nowMs() > clockToleranceMs;
  }

  /** True if the wall clock is behind the time sent by the server. */
  get isClockBehind(): boolean {
    return this.#last.fromServer && this.measuredMs() - this.#clock.now() > clockToleranceMs;
  }

  /** How far the wall clock is ahead of the server's time, in whole minutes, if that is more than tolerated. */
  get clockAheadMs(): number {
    const isOff = this.isClockAhead || this.isClockBehind;
    return isOff ? Math.floor((this.#clock.now() - this.nowMs()) / 60_000) * 60_000 : 0;
  }

  /**
   * True if the time is unknown until the server responds: the stored time is based on the wall clock alone and lies in
   * its future, so the clock is wrong now or was wrong then.
   */
  get isUnknown(): boolean {
    this.measuredMs();
    return this.#contradicted !== null;
  }

  /** Continues from a stored reading, unless the server has sent its time since. */
  restore(reading: TimeReading | null): void {
    if (reading === null) return;
    const { signedMs, aheadMs, boot } = reading;
    const leastMs = leastTimeBetween(boot, this.#clock.sinceBoot());
    if (signedMs !== null) this.#raiseSigned(signedMs + leastMs);
    if (aheadMs !== null) this.#raiseAhead(aheadMs + leastMs);
    if (this.#confirmed) return;
    const contradicted = !reading.fromServer && reading.trustedMs - this.#clock.now() > clockToleranceMs;
    this.#contradicted = contradicted ? reading : null;
    if (!contradicted) this.#continueFrom(reading);
  }

  /**
   * Called when the server has responded; `null` if it sent no time, and then the wall clock counts only if it is not
   * ahead.
   */
  confirm(dateMs: number | null): void {
    const serverTimeMs = this.#distrustsDate ? null : dateMs;
    const trustedMs = serverTimeMs ?? (this.#confirmed ? this.measuredMs() : Math.min(this.#clock.now(), this.nowMs()));
    this.#confirmed ||= serverTimeMs !== null;
    this.#contradicted = null;
    this.#last = this.#readingOf(trustedMs, serverTimeMs !== null || this.#last.fromServer);
    this.#start = this.#startAt(trustedMs);
  }

  /**
   * Checks the `Date` of a response against the time of a lease in it. A `Date` is not signed, and one far ahead would
   * end each new lease at once: then the lease's time counts, and no `Date` until the next start.
   */
  checkDate(dateMs: number, signedMs: number): void {
    if (dateMs - signedMs <= maxAheadMs) return;
    this.confirm(signedMs);
    this.#distrustsDate = true;
  }

  /** Called with a time that the server has signed: it is not earlier now. */
  notBefore(serverTimeMs: number): void {
    const isEarlier = this.isUnknown || this.nowMs() < serverTimeMs;
    if (isEarlier || this.#restsOnAhead(serverTimeMs)) this.#moveToServerTime(serverTimeMs);
    this.#raiseFloor(serverTimeMs);
  }

  /**
   * Called with the time of a stored lease. If it is later than any known signed time, that lease has its own floor.
   */
  recall(leaseIssuedMs: number): void {
    if (leaseIssuedMs > (this.signedMs ?? 0)) this.#raiseAhead(leaseIssuedMs);
  }

  /**
   * Takes a time that the server signed and a person has just imported. It replaces what this machine's wall clock
   * alone says, later or earlier, and what a `Date` far ahead said, but nothing measured since an earlier time of the
   * server.
   */
  correct(serverTimeMs: number): void {
    if (this.isCorrectedBy(serverTimeMs)) this.#moveToServerTime(serverTimeMs);
    this.#raiseFloor(serverTimeMs);
  }

  /** Whether `correct` would change the time. */
  isCorrectedBy(serverTimeMs: number): boolean {
    const restsOnServer = !this.isUnknown && this.#last.fromServer;
    const measuredMs = this.measuredMs();
    const isWrong = this.isAhead(measuredMs) && !this.isAhead(serverTimeMs);
    return !restsOnServer || isWrong || measuredMs < serverTimeMs || this.#restsOnAhead(serverTimeMs);
  }

  /**
   * Called when the server has changed: only the wall clock is known, and signed times whose keys count for all
   * servers.
   */
  forgetServer({ keepsSigned }: { readonly keepsSigned: boolean }): void {
    this.#confirmed = false;
    this.#distrustsDate = false;
    if (!keepsSigned) {
      this.#signed = null;
      this.#ahead = null;
    }
    this.#contradicted = null;
    this.#last = this.#readingOf(this.#clock.now(), false);
    this.#start = this.#startAt(this.#last.trustedMs);
  }

  /**
   * If the machine has not been restarted since, its uptime tells how long ago the reading was. Otherwise a gap begins
   * there, unless an earlier one is still open; the uptime is the certain part of it.
   */
  #continueFrom(reading: TimeReading): void {
    const bootNow = this.#clock.sinceBoot();
    const sameBoot = bootNow !== null && bootNow.id !== null && bootNow.id === reading.boot?.id;
    const isOpen = reading.gap !== null && timeByWallClock(reading.gap, reading.wallMs) > reading.trustedMs;
    const gap = isOpen ? reading.gap : { trustedMs: reading.trustedMs, wallMs: reading.wallMs, jumpedMs: 0 };
    const trustedMs = reading.trustedMs + leastTimeBetween(reading.boot, bootNow);
    this.#start = this.#startAt(trustedMs);
    this.#last = sameBoot ? reading : { ...reading, gap, trustedMs, wallMs: this.#clock.now(), boot: bootNow };
  }

  /** This much time was measured; any other movement of the wall clock means that it was set. */
  #moveTo(trustedMs: number): void {
    const wallMs = this.#clock.now();
    const { gap } = this.#last;
    const jumpMs = wallMs - this.#last.wallMs - (trustedMs - this.#last.trustedMs);
    const moved = gap === null ? null : { ...gap, jumpedMs: gap.jumpedMs + jumpMs };
    this.#last = { ...this.#last, trustedMs, wallMs, boot: this.#clock.sinceBoot(), gap: moved };
  }

  #moveToServerTime(trustedMs: number): void {
    this.#contradicted = null;
    this.#last = this.#readingOf(trustedMs, true);
    this.#start = this.#startAt(trustedMs);
  }

  /** True if the time rests on one that was far ahead, and the server has now signed one that is not. */
  #restsOnAhead(serverTimeMs: number): boolean {
    if (this.#aheadMs === null || this.isAhead(serverTimeMs)) return false;
    return Math.abs(this.measuredMs() - this.#aheadMs) <= clockToleranceMs;
  }

  #raiseFloor(signedMs: number): void {
    if (this.isAhead(signedMs)) this.#raiseAhead(signedMs);
    else this.#raiseSigned(signedMs);
  }

  #raiseSigned(signedMs: number): void {
    if ((this.signedMs ?? 0) < signedMs) this.#signed = this.#startAt(signedMs);
  }

  #raiseAhead(signedMs: number): void {
    if ((this.#aheadMs ?? 0) < signedMs) this.#ahead = this.#startAt(signedMs);
  }

  #measuredSince({ trustedMs, monotonicMs, boot }: MeasuredStart): number {
    const bootNow = this.#clock.sinceBoot();
    const asleepToo = boot !== null && bootNow !== null ? bootNow.ms - boot.ms : 0;
    return trustedMs + Math.max(this.#clock.monotonic() - monotonicMs, asleepToo);
  }

  #readingOf(trustedMs: number, fromServer: boolean): Reading {
    return { trustedMs, wallMs: this.#clock.now(), fromServer, boot: this.#clock.sinceBoot(), gap: null };
  }

  #startAt(trustedMs: number): MeasuredStart {
    return { trustedMs, monotonicMs: this.#clock.monotonic(), boot: this.#clock.sinceBoot() };
  }
}

/** Returns the least time that has passed; after a restart of the machine, its uptime. */
function leastTimeBetween(before: BootTime | null, now: BootTime | null): number {
  if (before === null || now === null) return 0;
  const sameBoot = now.ms >= before.ms && (before.id === now.id || before.id === null || now.id === null);
  return sameBoot ? now.ms - before.ms : now.ms;
}

/**
 * Returns the earliest time that explains the wall clock: it is as wrong as before, or was corrected. A clock that was
 * set back explains nothing, nor does one that was set ahead while time was measured.
 */
function timeByWallClock({ trustedMs, wallMs, jumpedMs }: Moment & { readonly jumpedMs: number }, nowWallMs: number) {
  const unchanged = trustedMs + nowWallMs - wallMs - Math.max(0, jumpedMs);
  const possible = [unchanged, nowWallMs].filter((timeMs) => timeMs >= trustedMs);
  return possible.length > 0 ? Math.min(...possible) : trustedMs;
}

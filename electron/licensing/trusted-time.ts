/**
 * The time by the server's clock. Measured on from its last response, so that this machine's wall clock can neither
 * extend a grace period nor date a response into the future, and so that a clock that was wrong for a while costs
 * nothing once it is right.
 */
import { z } from 'zod';
import type { BootTime, Clock } from './platform.ts';

/** How far two clocks may differ before it matters. */
export const clockToleranceMs = 5 * 60_000;

/**
 * How far the server's clock may be ahead of this machine's for the time of a lease to be a floor for good, and its `Date`
 * ahead of a lease that comes with it.
 */
const maxAheadMs = 24 * 3_600_000;

/** The same moment by both clocks. */
const moment = z.object({ trustedMs: z.number(), wallMs: z.number() });
type Moment = z.infer<typeof moment>;

/**
 * Where a stretch of time began of which only the wall clock says how long it was: the machine was off. `jumpedMs` is
 * how far the wall clock has been set since, ahead of what was measured.
 */
const gap = moment.extend({ jumpedMs: z.number() });

/** What is stored: the measured time, and the clocks of this machine at the same moment. */
export const timeReading = moment.extend({
  /** Whether the trusted time rests on a time that the server has sent. */
  fromServer: z.boolean(),
  /** Earlier versions did not measure across restarts. */
  boot: z.object({ id: z.string().nullable(), ms: z.number() }).nullable().default(null),
  gap: gap.nullable().default(null),
  /** The latest time that the server has signed, and what was measured since: it cannot be earlier. */
  signedMs: z.number().nullable().default(null),
  /** The same of times that were far ahead of this machine's clock: the floor of the leases of that time alone. */
  aheadMs: z.number().nullable().default(null),
});
export type TimeReading = z.infer<typeof timeReading>;

type MeasuredStart = { readonly trustedMs: number; readonly monotonicMs: number; readonly boot: BootTime | null };

type Reading = Omit<TimeReading, 'signedMs' | 'aheadMs'>;

export type TrustedTimeDeps = { readonly clock: Clock };

export class TrustedTime {
  readonly #clock: Clock;
  #last: Reading;
  /** From when on time is measured. */
  #start: MeasuredStart;
  /** From when on the time is measured that the server has signed. A `Date` header is not signed, so it takes nothing back. */
  #signed: MeasuredStart | null = null;
  #ahead: MeasuredStart | null = null;
  /** Whether the server has sent its time to this run of the app. */
  #confirmed = false;
  /** Whether the `Date` of the server counts for nothing. */
  #distrustsDate = false;
  /** A stored reading that the wall clock contradicts, and that no server has sent. */
  #contradicted: TimeReading | null = null;

  constructor({ clock }: TrustedTimeDeps) {
    this.#clock = clock;
    this.#last = this.#readingOf(clock.now(), false);
    this.#start = this.#startAt(this.#last.trustedMs);
  }

  /**
   * What was measured, and across a gap what the wall clock says for as long as it says so. Never goes back by more
   * than the wall clock alone has claimed, until the server sends an earlier time.
   */
  nowMs(): number {
    const measuredMs = this.measuredMs();
    const claimedMs = this.#last.gap === null ? measuredMs : timeByWallClock(this.#last.gap, this.#last.wallMs);
    return Math.max(measuredMs, claimedMs);
  }

  /**
   * The part that needs no wall clock: time in which this machine ran or slept. At most the true time; never goes back, and
   * whatever the server sends, never behind `signedMs`.
   */
  measuredMs(): number {
    this.restore(this.#contradicted);
    this.#moveTo(Math.max(this.#measuredSince(this.#start), this.#last.trustedMs, this.signedMs ?? 0));
    return this.#last.trustedMs;
  }

  /** The latest time that the server has signed, and what was measured since; `null` if it has signed none. */
  get signedMs(): number | null {
    return this.#signed && this.#measuredSince(this.#signed);
  }

  get #aheadMs(): number | null {
    return this.#ahead && this.#measuredSince(this.#ahead);
  }

  /**
   * Whether a time that the server has signed is far ahead of this machine's clock and of what was signed before. One of
   * the two clocks is wrong then, and which of them is not known: the time is taken for now, until the server says
   * otherwise, but it is no floor except for the leases that were signed at such a time. So a server whose clock was
   * ahead locks nobody out.
   */
  isAhead(signedMs: number): boolean {
    return signedMs - Math.max(this.#clock.now(), this.signedMs ?? 0) > maxAheadMs;
  }

  /**
   * The moment of a no, after which no lease from before counts. A `Date` that is far ahead would refuse every lease until
   * then, also once the server's clock is right.
   */
  get endMs(): number {
    const nowMs = this.nowMs();
    return this.isAhead(nowMs) ? Math.max(this.#clock.now(), this.signedMs ?? 0) : nowMs;
  }

  /** The floor of a lease that was signed at a time which is no floor for all. */
  floorMs(leaseIssuedMs: number): number {
    return leaseIssuedMs <= (this.signedMs ?? 0) ? 0 : (this.#aheadMs ?? 0);
  }

  /** To be stored and restored after a restart. What the wall clock alone has claimed is not part of it. */
  reading(): TimeReading {
    this.measuredMs();
    return { ...(this.#contradicted ?? this.#last), signedMs: this.signedMs, aheadMs: this.#aheadMs };
  }

  /** Whether the wall clock is ahead of the time that the server has sent. */
  get isClockAhead(): boolean {
    return this.#last.fromServer && this.#clock.now() - this.nowMs() > clockToleranceMs;
  }

  /** Whether the wall clock is behind the time that the server has sent. */
  get isClockBehind(): boolean {
    return this.#last.fromServer && this.measuredMs() - this.#clock.now() > clockToleranceMs;
  }

  /**
   * Whether the time is unknown until the server responds: what is stored rests on the wall clock alone and lies in its
   * future, so the clock is wrong now or was wrong then.
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

  /** The server has responded; `null` if it sent no time, and then the wall clock counts only if it is not ahead. */
  confirm(dateMs: number | null): void {
    const serverTimeMs = this.#distrustsDate ? null : dateMs;
    const trustedMs = serverTimeMs ?? (this.#confirmed ? this.measuredMs() : Math.min(this.#clock.now(), this.nowMs()));
    this.#confirmed ||= serverTimeMs !== null;
    this.#contradicted = null;
    this.#last = this.#readingOf(trustedMs, serverTimeMs !== null || this.#last.fromServer);
    this.#start = this.#startAt(trustedMs);
  }

  /**
   * A response had that `Date` and a lease that was signed at that time. A `Date` is not signed, and one that is far ahead
   * would end each new lease at once: then the time of the lease counts, and no `Date` until the next start.
   */
  checkDate(dateMs: number, signedMs: number): void {
    if (dateMs - signedMs <= maxAheadMs) return;
    this.confirm(signedMs);
    this.#distrustsDate = true;
  }

  /** The server has signed that it was this time: it is not earlier now. */
  notBefore(serverTimeMs: number): void {
    const isEarlier = this.isUnknown || this.nowMs() < serverTimeMs;
    if (isEarlier || this.#restsOnAhead(serverTimeMs)) this.#moveToServerTime(serverTimeMs);
    this.#raiseFloor(serverTimeMs);
  }

  /** A lease that is stored was signed at this time. Where that is not known of it, it has a floor of its own. */
  recall(leaseIssuedMs: number): void {
    if (leaseIssuedMs > (this.signedMs ?? 0)) this.#raiseAhead(leaseIssuedMs);
  }

  /**
   * The server signed this time, and a person has just brought it here. It replaces what this machine's wall clock alone
   * says, whether that is later or earlier, and what a `Date` far ahead has said, but nothing that was measured since an
   * earlier time of the server.
   */
  heal(serverTimeMs: number): void {
    if (this.isHealedBy(serverTimeMs)) this.#moveToServerTime(serverTimeMs);
    this.#raiseFloor(serverTimeMs);
  }

  /** Whether `heal` would change the time. */
  isHealedBy(serverTimeMs: number): boolean {
    const restsOnServer = !this.isUnknown && this.#last.fromServer;
    const measuredMs = this.measuredMs();
    const isWrong = this.isAhead(measuredMs) && !this.isAhead(serverTimeMs);
    return !restsOnServer || isWrong || measuredMs < serverTimeMs || this.#restsOnAhead(serverTimeMs);
  }

  /** The server has changed: only the wall clock is known, and what was signed with keys that count for all servers. */
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
   * If the machine has not been started since, the time since its start says how long ago the reading was. Otherwise a
   * gap begins there, unless one from before is still open; that much of it is certain as the machine is up.
   */
  #continueFrom(reading: TimeReading): void {
    const bootNow = this.#clock.sinceBoot();
    const sameBoot = bootNow !== null && bootNow.id !== null && bootNow.id === reading.boot?.id;
    const isOpen = reading.gap !== null && timeByWallClock(reading.gap, reading.wallMs) > reading.trustedMs;
    const gap = isOpen ? reading.gap : { trustedMs: reading.trustedMs, wallMs: reading.wallMs, jumpedMs: 0 };
    this.#last = sameBoot ? reading : { ...reading, gap };
    const trustedMs = reading.trustedMs + leastTimeBetween(reading.boot, bootNow);
    this.#start = this.#startAt(trustedMs);
    if (sameBoot) this.#moveTo(trustedMs);
    else this.#last = { ...this.#last, trustedMs, wallMs: this.#clock.now(), boot: bootNow };
  }

  /** As much time was measured; whatever else the wall clock did meanwhile, it was set. */
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

  /** Whether the time is one that was far ahead, and the server has now signed one that is not. */
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

/** How much time has passed at least: if the machine was started since, as long as it is up. */
function leastTimeBetween(before: BootTime | null, now: BootTime | null): number {
  if (before === null || now === null) return 0;
  const sameBoot = now.ms >= before.ms && (before.id === now.id || before.id === null || now.id === null);
  return sameBoot ? now.ms - before.ms : now.ms;
}

/**
 * The earliest time with which the wall clock can be explained: it is as wrong as it was, or it has been corrected. A
 * clock that was set back explains nothing, and neither does one that was set ahead while time was measured.
 */
function timeByWallClock({ trustedMs, wallMs, jumpedMs }: Moment & { readonly jumpedMs: number }, nowWallMs: number) {
  const unchanged = trustedMs + nowWallMs - wallMs - Math.max(0, jumpedMs);
  const possible = [unchanged, nowWallMs].filter((timeMs) => timeMs >= trustedMs);
  return possible.length > 0 ? Math.min(...possible) : trustedMs;
}

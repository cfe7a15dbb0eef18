/** Collects refusals before they are written: identical ones are grouped, and in a flood they are only counted. */
import { LRUCache } from 'lru-cache';
import { upTo } from '../cache-size.ts';
import type { Clock } from '../clock.ts';
import type { AuditAction, AuditEvent } from './audit-event.ts';

/** Identical refusals, grouped. */
export type Refusals = { readonly event: AuditEvent; readonly firstAtMs: number; readonly count: number };

/** How many different refusals of one action are written at once, and how many per second over time. */
type Rate = { readonly burst: number; readonly perSecond: number };

/** Of each kind of actor: a flood of strangers does not hide what users and staff try. */
const rateOfKind: Rate = { burst: 300, perSecond: 1 };
/**
 * In addition, of each user and member of staff: refusals of accounts that an attacker has made do not hide those of
 * others. It is low, because there may be many such accounts.
 */
const rateOfActor: Rate = { burst: 20, perSecond: 1 / 60 };
/** Beyond this number, those that were refused least recently get their full allowance again. */
const maxAllowances = 10_000;
/** How often a flood is summarized. */
const summaryIntervalMs = 60_000;

export type Taken = {
  readonly refusals: readonly Refusals[];
  /** Number of further refusals by action. */
  readonly others: ReadonlyMap<AuditAction, number>;
};

type Allowance = { left: number; atMs: number };

export class RefusalBuffer {
  readonly #clock: Clock;
  /** By what was refused, and to which kind of actor or to whom. */
  readonly #allowances = new LRUCache<string, Allowance>(upTo(maxAllowances));
  #refusals = new Map<string, { event: AuditEvent; firstAtMs: number; count: number }>();
  #others = new Map<AuditAction, number>();
  #lastSummaryMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isEmpty(): boolean {
    return this.#refusals.size === 0 && this.#others.size === 0;
  }

  add(event: AuditEvent): void {
    const key = JSON.stringify(event);
    const known = this.#refusals.get(key);
    if (known) known.count++;
    else if (this.#isAllowed(event)) this.#refusals.set(key, { event, firstAtMs: this.#clock.now(), count: 1 });
    else this.addOthers(event.action, 1);
  }

  /** Counts refusals that do not get their own entry. */
  addOthers(action: AuditAction, count: number): void {
    this.#others.set(action, (this.#others.get(action) ?? 0) + count);
  }

  /** Returns what must be written now. The counts of the others are included once a minute, or if `isLast`. */
  take(isLast: boolean): Taken {
    const refusals = [...this.#refusals.values()];
    this.#refusals = new Map();
    const nowMs = this.#clock.monotonic();
    if (!isLast && nowMs - this.#lastSummaryMs < summaryIntervalMs) return { refusals, others: new Map() };
    const others = this.#others;
    this.#others = new Map();
    if (others.size > 0) this.#lastSummaryMs = nowMs;
    return { refusals, others };
  }

  #isAllowed({ action, actor }: AuditEvent): boolean {
    const kind = `${action} ${actor.kind}`;
    return ('id' in actor && this.#take(`${kind} ${actor.id}`, rateOfActor)) || this.#take(kind, rateOfKind);
  }

  /** Returns false if the allowance is used up. */
  #take(key: string, { burst, perSecond }: Rate): boolean {
    const nowMs = this.#clock.monotonic();
    const { left, atMs } = this.#allowances.get(key) ?? { left: burst, atMs: nowMs };
    const available = Math.min(burst, left + ((nowMs - atMs) / 1000) * perSecond);
    const isAllowed = available >= 1;
    this.#allowances.set(key, { left: isAllowed ? available - 1 : available, atMs: nowMs });
    return isAllowed;
  }
}

/**
 * Matches each row of a customer to a subscription. A row that names a subscription is about that one. Every other row
 * is about one of the customer's known subscriptions, each about a different one, the most similar first. Remaining
 * rows are about a subscription that the server does not know; since such rows cannot be told apart, the best one
 * counts.
 */
import { givesAccess, sourceOf } from '../subscriptions/subscription.rules.ts';
import { isOutdated } from './billing.rules.ts';
import type { Buyer, CustomerState, KnownSubscription } from './customer-states.ts';
import { provisionalBuyer, provisionalReference } from './provisional-subscription.ts';
import { hasSamePlanAndEnd, maxSimilarity, samePlanAndEnd, similarity } from './reconciliation.rules.ts';
import type { ReportedSubscription } from './reported-subscription.ts';

/**
 * How the subscription of a row was found: by its reference; by the same plan and end; as the only one left for the
 * only row left that names none; as the most similar one; or as one of several equally similar ones.
 */
type Certainty = 'named' | 'exact' | 'only' | 'likely' | 'ambiguous';

export type Match = {
  readonly reported: ReportedSubscription;
  /** The subscription that the row is about; `undefined` if the server does not know it. */
  readonly known: KnownSubscription | undefined;
  /** The provider's reference, else our own. */
  readonly reference: string;
  readonly buyer: Buyer;
  readonly certainty: Certainty;
  /** True if another row of the list takes precedence. */
  readonly isSuperseded: boolean;
};

type Rows = readonly ReportedSubscription[];

/** Matches the rows of one customer, given best first. */
export function matchRows(state: CustomerState, rows: Rows, nowMs: number): Match[] {
  const matching = new RowMatching(state, nowMs);
  matching.addNamed(rows);
  // Checked before any row is matched by plan and end, which an earlier run may have set.
  const certainty = matching.isOnePair(rows) ? 'only' : 'likely';
  for (let least = maxSimilarity; least >= 0; least--) {
    matching.addLikely(rows, least, least >= samePlanAndEnd ? 'exact' : certainty);
  }
  matching.addUnknown(rows);
  return matching.list();
}

/** Collects the matches of one customer, one kind of row after another. A subscription is matched to one row only. */
class RowMatching {
  readonly #state: CustomerState;
  readonly #nowMs: number;
  readonly #matches = new Map<ReportedSubscription, Match>();
  readonly #taken = new Set<Match['known']>();
  /** References whose state a row has already determined. */
  readonly #references = new Set<string>();
  /** The customer's subscriptions, best first. */
  readonly #ofCustomer: readonly KnownSubscription[];

  constructor(state: CustomerState, nowMs: number) {
    this.#state = state;
    this.#nowMs = nowMs;
    this.#ofCustomer = state.ofCustomer.toSorted((one, other) => compareKnown(one, other, nowMs));
  }

  /** Matches the rows that name a subscription. If several name the same one, the newest counts. */
  addNamed(rows: Rows): void {
    const { known } = this.#state;
    for (const reported of rows.toSorted((one, other) => (other.asOfMs ?? 0) - (one.asOfMs ?? 0))) {
      const reference = this.#referenceOf(reported);
      if (!reference) continue;
      const source = sourceOf(reported.provider);
      const found = known.find(({ row }) => row.source === source && row.reference === reference);
      // An earlier list may have reported the same subscription before its reference was known.
      const unnamed = this.#listUntaken(reported).find(
        ({ row }) => provisionalBuyer(row) !== undefined && hasSamePlanAndEnd(reported, row),
      );
      this.#add(reported, { reference, certainty: 'named', known: found ?? unnamed });
    }
  }

  /** Returns true if exactly one row and one subscription are left unnamed. */
  isOnePair(rows: Rows): boolean {
    const [row, ...others] = this.#listUnmatched(rows);
    return row !== undefined && others.length === 0 && this.#listUntaken(row).length === 1;
  }

  addLikely(rows: Rows, least: number, certainty: Certainty): void {
    const takenBefore = new Set(this.#taken);
    for (const reported of this.#listUnmatched(rows)) {
      const known = this.#listUntaken(reported).find(({ row }) => similarity(reported, row) >= least);
      if (!known) continue;
      // What is left for the last row is no clearer than what the rows before it have taken.
      const isOther = (one: KnownSubscription) => one !== known && this.#hasAccess(one) === this.#hasAccess(known);
      const isAmbiguous = least === 0 && this.#listWithout(takenBefore, reported).some(isOther);
      this.#add(reported, { reference: known.row.reference, known, certainty: isAmbiguous ? 'ambiguous' : certainty });
    }
  }

  addUnknown(rows: Rows): void {
    for (const reported of this.#listUnmatched(rows)) {
      this.#add(reported, { reference: provisionalReference(reported), known: undefined, certainty: 'likely' });
    }
  }

  list(): Match[] {
    return [...this.#matches.values()];
  }

  #add(reported: ReportedSubscription, found: Pick<Match, 'reference' | 'known' | 'certainty'>): void {
    const { reference, known } = found;
    const isSuperseded = this.#references.has(reference);
    this.#matches.set(reported, { ...found, reported, buyer: this.#state.buyerOf(reported), isSuperseded });
    this.#taken.add(known);
    const newer = known ? [known] : this.#ofCustomer;
    if (!newer.some(({ lastEventMs }) => isOlder(reported, lastEventMs))) this.#references.add(reference);
  }

  /**
   * Returns what identifies a single subscription: its id at the provider or, for the operator's own system, the
   * account.
   */
  #referenceOf(reported: ReportedSubscription): string {
    const { provider, subscription } = reported;
    return provider === 'webhook' ? (this.#state.buyerOf(reported).userId ?? provider) : subscription;
  }

  #listUnmatched(rows: Rows): Rows {
    return rows.filter((row) => !this.#matches.has(row));
  }

  #listUntaken(reported: ReportedSubscription): readonly KnownSubscription[] {
    return this.#listWithout(this.#taken, reported);
  }

  #listWithout(taken: ReadonlySet<Match['known']>, reported: ReportedSubscription): readonly KnownSubscription[] {
    return this.#ofCustomer.filter((one) => !taken.has(one) && !isOlder(reported, one.lastEventMs));
  }

  #hasAccess({ row }: KnownSubscription): boolean {
    return givesAccess(row, this.#nowMs);
  }
}

/** Sorts subscriptions that give access first, then by the later end. */
function compareKnown({ row: one }: KnownSubscription, { row: other }: KnownSubscription, nowMs: number): number {
  const byAccess = Number(givesAccess(other, nowMs)) - Number(givesAccess(one, nowMs));
  return byAccess || other.current_period_end_ms - one.current_period_end_ms;
}

/** Returns true if the provider has reported something else since. */
export function isOlder({ asOfMs }: ReportedSubscription, lastEventMs: number | null): boolean {
  return asOfMs !== null && isOutdated(asOfMs, lastEventMs);
}

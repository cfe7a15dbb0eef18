/** Decides what follows from each row of a customer. */
import type { Executor } from '../database/database.ts';
import type { FeaturesOf, PlanService } from '../plans/plan.service.ts';
import { chooseSubscription, givesAccess } from '../subscriptions/subscription.rules.ts';
import { latest } from './billing.rules.ts';
import {
  type CustomerState,
  type CustomerStatesDeps,
  findAtProvider,
  type GroupedRows,
  loadCustomerStates,
} from './customer-states.ts';
import { compare, type FindingKind } from './reconciliation.rules.ts';
import { isOlder, type Match, matchRows } from './reconciliation-matching.ts';
import type { ReportedSubscription } from './reported-subscription.ts';

export type Decision = Match & {
  readonly kind: 'agree' | FindingKind;
  /** The account that it is about; `undefined` if there is none yet. */
  readonly userId: string | undefined;
  /** The time of the subscription's last event; if it is not known, that of the customer and the account. */
  readonly lastEventMs: number | null;
  readonly nowMs: number;
  /** Once applied: whether the subscription was changed and agrees now; `undefined` if it agreed by then. */
  readonly healed?: boolean;
  /** Why nothing was changed. */
  readonly reason?: string;
};

/** Decides for each group of rows. */
export async function decideAll(
  executor: Executor,
  deps: CustomerStatesDeps & { readonly plans: PlanService },
  listed: GroupedRows,
  nowMs: number,
): Promise<Decision[][]> {
  const featuresOf = await deps.plans.loadFeatures();
  const states = await loadCustomerStates(executor, deps, listed);
  return states.map((state) => decide(state, featuresOf, nowMs));
}

/** Returns true if the row and the server disagree, and the row is the newer one. */
export function isWrong({ kind }: Decision): boolean {
  return kind !== 'agree' && kind !== 'stale';
}

function decide(state: CustomerState, featuresOf: FeaturesOf, nowMs: number): Decision[] {
  const compareRows = (one: ReportedSubscription, other: ReportedSubscription) =>
    chooseSubscription([toCandidate(one), toCandidate(other)], featuresOf, nowMs)?.reported === one ? -1 : 1;
  return matchRows(state, state.rows.toSorted(compareRows), nowMs).map((match) => {
    const { reported, known, reference, buyer, isSuperseded } = match;
    const userId = known?.row.user_id ?? buyer.userId;
    const ofAccount = state.known.filter(({ row }) => row.user_id === userId);
    const lastEventMs = known
      ? known.lastEventMs
      : [...state.ofCustomer, ...ofAccount].reduce<number | null>((last, one) => latest(last, one.lastEventMs), null);
    const compared = {
      row: known?.row.is_replaced === 0 ? known.row : undefined,
      atProvider: known ? known.atProvider : findAtProvider(state.atProvider, reported.provider, reference),
      hasAccess: ofAccount.some(({ row }) => row.is_replaced === 0 && givesAccess(row, nowMs)),
    };
    const kind = isOlder(reported, lastEventMs) ? 'stale' : isSuperseded ? 'agree' : compare(reported, compared, nowMs);
    return { ...match, kind, userId, lastEventMs, nowMs };
  });
}

/** Converts a row to the form of an account's subscription, which `chooseSubscription` takes. */
function toCandidate(reported: ReportedSubscription) {
  return {
    id: String(reported.row).padStart(12, '0'),
    plan: reported.plan,
    status: reported.status,
    current_period_end_ms: reported.periodEndMs ?? 0,
    by_typed_email: 0 as const,
    reported,
  };
}

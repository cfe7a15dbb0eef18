/**
 * Reads the accounts and unclaimed licenses that have something of given plans, in parts, so that memory does not grow
 * with their number.
 */
import type { Executor } from '../database/database.ts';
import { currentDeadline } from '../deadline.ts';
import * as repository from './account-snapshot.repository.ts';
import type { AccountSnapshot, LicenseSnapshot } from './account-snapshot.ts';

/** Number of accounts or licenses read at once. */
const partSize = 500;

/** An account, or a license that has no owner yet. */
type PlanHolder = { readonly account: AccountSnapshot } | { readonly unclaimed: LicenseSnapshot };

type PlanHoldersRequest = {
  readonly plans: readonly string[];
  /** True to read every account, including those that have nothing of the plans. */
  readonly everybody: boolean;
  readonly nowMs: number;
};

/** Yields each one once. What changes meanwhile is read either before or after its change. */
export async function* readPlanHolders(executor: Executor, request: PlanHoldersRequest): AsyncGenerator<PlanHolder> {
  const { plans, everybody, nowMs } = request;
  if (everybody) {
    for await (const ids of inParts((page) => repository.listAccountIds(executor, page), String)) {
      yield* (await repository.loadAccounts(executor, { ids, nowMs })).map((account) => ({ account }));
    }
  }
  for (const plan of plans) {
    const subscribers = inParts((page) => repository.listSubscriberIds(executor, { ...page, plan }), String);
    for await (const ids of everybody ? [] : subscribers) {
      const accounts = await repository.loadAccounts(executor, { ids, nowMs });
      yield* accounts.filter((account) => firstPlanOf(account, plans) === plan).map((account) => ({ account }));
    }
    const licenses = inParts(
      (page) => repository.listLicenseOwners(executor, { ...page, plan }),
      ({ id }) => id,
    );
    for await (const rows of licenses) {
      const unclaimed = rows.filter(({ user_id }) => user_id === null).map(({ id }) => id);
      yield* (await repository.loadLicenses(executor, { ids: unclaimed, nowMs })).map((license) => ({
        unclaimed: license,
      }));
      if (everybody) continue;
      const ids = [...new Set(rows.flatMap(({ user_id }) => user_id ?? []))];
      const here = new Set(rows.map(({ id }) => id));
      const accounts = await repository.loadAccounts(executor, { ids, nowMs });
      yield* accounts
        .filter(
          (account) => firstPlanOf(account, plans) === undefined && here.has(firstLicenseOf(account, plans) ?? ''),
        )
        .map((account) => ({ account }));
    }
  }
}

/** Returns the first of the plans that the account subscribes to. */
function firstPlanOf({ subscriptions }: AccountSnapshot, plans: readonly string[]): string | undefined {
  return plans.find((plan) => subscriptions.some((subscription) => subscription.plan === plan));
}

/** Returns the id of the license of one of the plans that is read first. */
function firstLicenseOf({ licenses }: AccountSnapshot, plans: readonly string[]): string | undefined {
  const first = plans.find((plan) => licenses.some((license) => license.plan === plan));
  return licenses
    .filter(({ plan }) => plan === first)
    .map(({ id }) => id)
    .sort()[0];
}

async function* inParts<T>(
  read: (page: { after: string; limit: number }) => Promise<T[]>,
  idOf: (row: T) => string,
): AsyncGenerator<T[]> {
  let after = '';
  for (;;) {
    currentDeadline()?.require();
    const part = await read({ after, limit: partSize });
    if (part.length > 0) yield part;
    const last = part.at(-1);
    if (last === undefined || part.length < partSize) return;
    after = idOf(last);
  }
}

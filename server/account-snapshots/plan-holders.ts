/**
 * Reads the accounts and unclaimed licenses that have something of given plans, in parts, so that at most their ids are
 * in memory together.
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
  const seen = new Set<string>();
  /** Reads those of the accounts that were not read before. */
  const readAccounts = async (userIds: readonly string[]) => {
    const ids = [...new Set(userIds)].filter((id) => !seen.has(id));
    for (const id of ids) seen.add(id);
    return (await repository.loadAccounts(executor, { ids, nowMs })).map((account) => ({ account }));
  };
  if (everybody) {
    const all = inParts((page) => repository.listAccountIds(executor, page), String);
    for await (const ids of all) yield* await readAccounts(ids);
  }
  for (const plan of plans) {
    const subscribers = inParts((page) => repository.listSubscriberIds(executor, { ...page, plan }), String);
    for await (const ids of everybody ? [] : subscribers) yield* await readAccounts(ids);
    const licenses = inParts(
      (page) => repository.listLicenseOwners(executor, { ...page, plan }),
      ({ id }) => id,
    );
    for await (const rows of licenses) {
      const ids = rows.filter(({ user_id }) => user_id === null).map(({ id }) => id);
      yield* (await repository.loadLicenses(executor, { ids, nowMs })).map((unclaimed) => ({ unclaimed }));
      if (!everybody) yield* await readAccounts(rows.flatMap(({ user_id }) => user_id ?? []));
    }
  }
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

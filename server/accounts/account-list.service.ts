/** The accounts as the admin page lists them. */
import type { AccountRow } from '../../shared/api/admin/accounts.ts';
import { type Clock, toIso } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { inOrderOf, type ListTotal, type PageRequest } from '../database/list-page.ts';
import type { SubscriptionStatus } from '../database/tables.ts';
import { readSubscriptionStatus } from '../subscriptions/subscription.rules.ts';
import {
  type AccountFilter,
  type AccountListRow,
  countAccounts,
  findListedAccounts,
  listAccountIds,
} from './account-list.repository.ts';

/** What the list is narrowed to. */
export type AccountQuery = {
  readonly search?: string;
  readonly status?: SubscriptionStatus | 'none';
  readonly plan?: string;
};

export type AccountListServiceDeps = { readonly database: Pick<Database, 'read'>; readonly clock: Clock };

export class AccountListService {
  readonly #deps: AccountListServiceDeps;

  constructor(deps: AccountListServiceDeps) {
    this.#deps = deps;
  }

  async readPage(query: AccountQuery, page: PageRequest): Promise<{ rows: AccountRow[]; next: string | null }> {
    const { database, clock } = this.#deps;
    const nowMs = clock.now();
    const { ids, next } = await listAccountIds(database.read, this.#filter(query), page);
    const rows = await findListedAccounts(database.read, ids, nowMs);
    return { rows: inOrderOf(ids, rows).map((row) => toRow(row, nowMs)), next };
  }

  count(query: AccountQuery): Promise<ListTotal> {
    return countAccounts(this.#deps.database.read, this.#filter(query));
  }

  #filter({ search, ...query }: AccountQuery): AccountFilter {
    const nowMs = this.#deps.clock.now();
    const prefix = search?.trim().normalize('NFC').toLowerCase();
    return { ...query, nowMs, ...(prefix && { search: prefix }) };
  }
}

function toRow({ subscription, created_at_ms, ...row }: AccountListRow, nowMs: number): AccountRow {
  return {
    ...row,
    created_at: toIso(created_at_ms),
    plan: subscription?.plan ?? null,
    status: subscription ? readSubscriptionStatus(subscription, nowMs) : null,
    current_period_end: subscription ? toIso(subscription.current_period_end_ms) : null,
  };
}

/** The licenses as a list: by their status, plan, key preview or owner. */
import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../database/database.ts';
import {
  beginsWith,
  binary,
  countRows,
  type IdPage,
  type ListSource,
  type ListTotal,
  type PageRequest,
  readIdPage,
} from '../database/list-page.ts';
import type { LicenseStatus } from '../database/tables.ts';
import type { OwnedLicenseRow } from './license.repository.ts';

/** What is searched: the beginning of a key preview, or of an email address. */
export type LicenseSearch = { readonly preview: string } | { readonly email: string };

export type LicenseFilter = {
  readonly search?: LicenseSearch;
  /** As of now. */
  readonly status?: LicenseStatus;
  readonly plan?: string;
  /** The key of the owner's email address, see `parseEmail`. */
  readonly account?: string;
  readonly nowMs: number;
};

/** Newest first; a search by preview or email address in that order. */
export function listLicenseIds(executor: Executor, filter: LicenseFilter, page: PageRequest): Promise<IdPage> {
  return readIdPage(executor, sourceOf(executor, filter), page);
}

export function countLicenses(executor: Executor, filter: LicenseFilter): Promise<ListTotal> {
  return countRows(executor, sourceOf(executor, filter));
}

export type LicenseListRow = OwnedLicenseRow & { readonly activations: number };

/** The licenses with these ids, in any order, and how many of their places are in use. */
export async function findListedLicenses(
  executor: Executor,
  ids: readonly string[],
  nowMs: number,
): Promise<LicenseListRow[]> {
  if (ids.length === 0) return [];
  const rows = await executor
    .selectFrom('licenses')
    .leftJoin('users', 'users.id', 'licenses.user_id')
    .selectAll('licenses')
    .select('users.email')
    .where('licenses.id', 'in', ids)
    .execute();
  const used = await executor
    .selectFrom('activations')
    .select(['license_id', ({ fn }) => fn.countAll().as('count')])
    .where('license_id', 'in', ids)
    .where(({ or, eb }) => or([eb('released_at_ms', 'is', null), eb('lease_expires_at_ms', '>', nowMs)]))
    .groupBy('license_id')
    .execute();
  const counts = new Map(used.map(({ license_id, count }) => [license_id, Number(count)]));
  return rows.map((row) => ({ ...row, activations: counts.get(row.id) ?? 0 }));
}

/** How many licenses an account has, and on how many devices they are activated. */
export async function countLicensesOf(executor: Executor, userId: string): Promise<LicenseTotals> {
  const { licenses } = await executor
    .selectFrom('licenses')
    .select(({ fn }) => fn.countAll().as('licenses'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
  const rows = await executor
    .selectFrom('activations')
    .innerJoin('licenses', 'licenses.id', 'activations.license_id')
    .select(['licenses.with_subscription', ({ fn }) => fn.countAll().as('devices')])
    .where('licenses.user_id', '=', userId)
    .where('activations.released_at_ms', 'is', null)
    .groupBy('licenses.with_subscription')
    .execute();
  const devicesOf = (value: number) => Number(rows.find((row) => row.with_subscription === value)?.devices ?? 0);
  const [independent, dependent] = [devicesOf(0), devicesOf(1)];
  return { licenses: Number(licenses), devices: independent + dependent, devices_with_subscription: dependent };
}

export type LicenseTotals = {
  readonly licenses: number;
  readonly devices: number;
  readonly devices_with_subscription: number;
};

const licenseId = sql.ref('licenses.id');

function sourceOf(executor: Executor, filter: LicenseFilter): ListSource {
  const { search, status, plan, account, nowMs } = filter;
  const owned =
    account === undefined
      ? sql``
      : sql` and licenses.user_id = (select owner.id from users as owner where owner.email_key = ${account})`;
  const narrowed = { id: licenseId, ...((status !== undefined || plan !== undefined) && { filter: toFilter(filter) }) };
  if (search && 'email' in search) {
    const order = binary(executor, sql.ref('users.email_key'));
    const owners = sql`users inner join licenses on licenses.user_id = users.id`;
    return { from: sql`${owners} where ${beginsWith(order, search.email)}${owned}`, order, ...narrowed };
  }
  if (search) {
    const order = binary(executor, sql.ref('licenses.key_preview'));
    return { from: sql`licenses where ${beginsWith(order, search.preview)}${owned}`, order, ...narrowed };
  }
  // The licenses of an account are fewer than those of a status or plan.
  const selected = account === undefined ? selectByIndex({ status, plan, nowMs }) : sql`1 = 1`;
  return { from: sql`licenses where ${selected}${owned}`, ...narrowed };
}

/** The part of the filter that an index has in the order of the list; the rest is searched among its rows. */
function selectByIndex({ status, plan }: LicenseFilter): RawBuilder<unknown> {
  if (plan !== undefined) return sql`licenses.plan = ${plan}`;
  // As in the index of the licenses that end.
  if (status === 'expired') return sql`(licenses.expires_at_ms is not null or licenses.status = 'expired')`;
  return status === undefined ? sql`1 = 1` : sql`licenses.status = ${status}`;
}

function toFilter({ status, plan, nowMs }: LicenseFilter): NonNullable<ListSource['filter']> {
  const conditions: RawBuilder<unknown>[] = [];
  if (status !== undefined) conditions.push(hasStatus(status, nowMs));
  if (plan !== undefined) conditions.push(sql`scanned.plan = ${plan}`);
  return {
    columns: sql`licenses.status as status, licenses.plan as plan, licenses.expires_at_ms as end_ms`,
    condition: sql.join(conditions, sql` and `),
  };
}

/** The same as `readLicenseStatus`. */
function hasStatus(status: LicenseStatus, nowMs: number): RawBuilder<unknown> {
  if (status === 'revoked') return sql`scanned.status = 'revoked'`;
  if (status !== 'expired') {
    return sql`scanned.status = ${status} and (scanned.end_ms is null or scanned.end_ms > ${nowMs})`;
  }
  return sql`(scanned.status = 'expired' or (scanned.status <> 'revoked' and scanned.end_ms <= ${nowMs}))`;
}

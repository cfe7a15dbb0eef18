/** The list of licenses, by status, plan, key preview or owner. */
import { type RawBuilder, sql } from 'kysely';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import type { ListedLicense, licensesQuery } from '../../shared/api/admin/licenses.ts';
import { toEmailKey } from '../../shared/formats/email.ts';
import { normalizeLicenseKey, previewLicenseKey } from '../../shared/formats/license-key.ts';
import { toIso, toIsoOrNull } from '../clock.ts';
import type { Executor } from '../database/database.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { type ListSource, searchBy } from '../database/list-page.ts';
import type { LicenseStatus } from '../database/tables.ts';
import type { OwnedLicenseRow } from './license.repository.ts';
import { readLicenseStatus, toLicense } from './license.rules.ts';

export type LicenseQuery = ListFilter<typeof licensesQuery>;

type LicenseListRow = OwnedLicenseRow & { readonly activations: number };

/** The list of licenses, newest first; a search by preview or email address is ordered by that text. */
export const licenseList: ListDefinition<LicenseQuery, LicenseListRow, ListedLicense> = {
  source: sourceOf,
  findRows,
  toItem: (row, nowMs) => describeLicense(row, row.activations, nowMs),
};

/** Reads the rows, including how many places are in use. */
async function findRows(executor: Executor, ids: readonly string[], nowMs: number): Promise<LicenseListRow[]> {
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

function sourceOf(executor: Executor, query: LicenseQuery, nowMs: number): ListSource {
  const { search = '', status, plan, account } = query;
  const text = search.trim();
  const isOwned =
    account === undefined
      ? undefined
      : sql`licenses.user_id = (select owner.id from users as owner where owner.email_key = ${toEmailKey(account)})`;
  const found = {
    id: sql.ref('licenses.id'),
    filter: {
      columns: sql`licenses.status as status, licenses.plan as plan, licenses.expires_at_ms as end_ms`,
      conditions: [status && hasStatus(status, nowMs), plan && sql`scanned.plan = ${plan}`],
    },
  };
  if (text === '') {
    // The index on the account is preferred, because an account has fewer licenses than a status or plan.
    return { from: sql`licenses`, where: [isOwned ?? selectByIndex(query)], ...found };
  }
  const preview = readPreview(text);
  if (preview !== undefined) {
    const licenses = { from: sql`licenses`, where: [isOwned] };
    return { ...searchBy(executor, { ...licenses, text: 'licenses.key_preview', prefix: preview }), ...found };
  }
  const owned = { from: sql`users inner join licenses on licenses.user_id = users.id`, where: [isOwned] };
  return { ...searchBy(executor, { ...owned, text: 'users.email_key', prefix: toEmailKey(text) }), ...found };
}

/**
 * Returns the key preview to search for: of an entered key, or the beginning of a preview such as `SVC-AB12...WXYZ`.
 */
function readPreview(text: string): string | undefined {
  const key = normalizeLicenseKey(text);
  if (key !== null) return previewLicenseKey(key);
  const preview = text.toUpperCase();
  return /^SVC-[0-9A-Z]{0,4}(?:(?<=-.{4})\.{1,3}(?:(?<=\.{3})[0-9A-Z]{0,4})?)?$/.test(preview) ? preview : undefined;
}

/** Returns the condition that an index serves in list order; the other conditions filter its rows. */
function selectByIndex({ status, plan }: LicenseQuery): RawBuilder<unknown> | undefined {
  if (plan !== undefined) return sql`licenses.plan = ${plan}`;
  // The same condition as in the index of licenses with an end.
  if (status === 'expired') return sql`(licenses.expires_at_ms is not null or licenses.status = 'expired')`;
  return status === undefined ? undefined : sql`licenses.status = ${status}`;
}

/** SQL equivalent of `readLicenseStatus`. */
function hasStatus(status: LicenseStatus, nowMs: number): RawBuilder<unknown> {
  if (status === 'revoked') return sql`scanned.status = 'revoked'`;
  if (status !== 'expired') {
    return sql`scanned.status = ${status} and (scanned.end_ms is null or scanned.end_ms > ${nowMs})`;
  }
  return sql`(scanned.status = 'expired' or (scanned.status <> 'revoked' and scanned.end_ms <= ${nowMs}))`;
}

/** A license as staff see it. `placesInUse`: by active devices, and by released ones that keep theirs. */
export function describeLicense(row: OwnedLicenseRow, placesInUse: number, nowMs: number): ListedLicense {
  return {
    id: row.id,
    ...toLicense(row, readLicenseStatus(row, nowMs), placesInUse),
    user_id: row.user_id,
    email: row.email,
    expires_at: toIsoOrNull(row.expires_at_ms),
    updates_until: toIsoOrNull(row.updates_until_ms),
    with_subscription: row.with_subscription === 1,
    created_at: toIso(row.created_at_ms),
    updated_at: toIso(row.updated_at_ms),
  };
}

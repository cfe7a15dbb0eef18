/** The list of licenses, by status, plan, end, key preview or owner. */
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import type { ListedLicense, licensesQuery } from '../../shared/api/admin/licenses.ts';
import { toEmailKey } from '../../shared/formats/email.ts';
import { normalizeLicenseKey, previewLicenseKey } from '../../shared/formats/license-key.ts';
import { dayMs, toIso, toIsoOrNull } from '../clock.ts';
import type { Executor } from '../database/database.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { type ListSource, listRows, searchRows } from '../database/list-page.ts';
import type { LicenseStatus, Tables } from '../database/tables.ts';
import { type OwnedLicenseRow, selectOwnedLicenses } from './license.repository.ts';
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
function findRows(executor: Executor, ids: readonly string[], nowMs: number): Promise<LicenseListRow[]> {
  return selectOwnedLicenses(executor)
    .select(({ selectFrom, fn }) =>
      selectFrom('activations')
        .whereRef('license_id', '=', 'licenses.id')
        .where(({ or, eb }) => or([eb('released_at_ms', 'is', null), eb('lease_expires_at_ms', '>', nowMs)]))
        .select(fn.countAll<number>().as('count'))
        .as('activations'),
    )
    .where('licenses.id', 'in', ids)
    .$narrowType<{ activations: number }>()
    .execute();
}

const eb = expressionBuilder<Tables, 'licenses'>();

function sourceOf(executor: Executor, query: LicenseQuery, nowMs: number): ListSource {
  const { search: text = '', status, plan, expires_within_days: days, account } = query;
  const all = executor.selectFrom('licenses');
  const rows =
    account === undefined
      ? all
      : all.where('licenses.user_id', '=', ({ selectFrom }) =>
          selectFrom('users as owner').select('owner.id').where('owner.email_key', '=', toEmailKey(account)),
        );
  const found = {
    id: 'licenses.id',
    filter: [
      status && hasStatus(status, nowMs),
      plan && eb('licenses.plan', '=', plan),
      days === undefined ? undefined : endsWithin(days, nowMs),
    ],
  } as const;
  if (text === '') {
    // The index on the account is preferred, because an account has fewer licenses than a status or plan.
    const indexed = account === undefined ? selectByIndex(query) : undefined;
    return listRows({ ...found, rows: indexed ? rows.where(indexed) : rows });
  }
  const preview = readPreview(text);
  if (preview !== undefined) {
    return searchRows(executor, { ...found, rows, text: 'licenses.key_preview', prefix: preview });
  }
  const owned = rows.innerJoin('users', 'users.id', 'licenses.user_id');
  return searchRows(executor, { ...found, rows: owned, text: 'users.email_key', prefix: toEmailKey(text) });
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
function selectByIndex({ status, plan, expires_within_days }: LicenseQuery): Expression<SqlBool> | undefined {
  if (plan !== undefined) return eb('licenses.plan', '=', plan);
  // The same condition as in the index of licenses with an end.
  if (status === 'expired' || expires_within_days !== undefined) {
    return eb.or([
      eb('licenses.expires_at_ms', 'is not', null),
      eb('licenses.status', '=', sql.lit<LicenseStatus>('expired')),
    ]);
  }
  return status && eb('licenses.status', '=', status);
}

/** SQL equivalent of `readLicenseStatus`. */
function hasStatus(status: LicenseStatus, nowMs: number): Expression<SqlBool> {
  const [isStored, isOver] = [eb('licenses.status', '=', status), eb('licenses.expires_at_ms', '<=', nowMs)];
  if (status === 'revoked') return isStored;
  if (status === 'expired') return eb.or([isStored, eb.and([eb('licenses.status', '<>', 'revoked'), isOver])]);
  return eb.and([
    isStored,
    eb.or([eb('licenses.expires_at_ms', 'is', null), eb('licenses.expires_at_ms', '>', nowMs)]),
  ]);
}

/** True for active licenses that expire by then. */
function endsWithin(days: number, nowMs: number): Expression<SqlBool> {
  return eb.and([hasStatus('active', nowMs), eb('licenses.expires_at_ms', '<=', nowMs + days * dayMs)]);
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

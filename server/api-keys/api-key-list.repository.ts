/** The API keys as a list, revoked ones included: by their prefix or owner. */
import { sql } from 'kysely';
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
import type { ApiKeyRow } from './api-key.repository.ts';

/** What is searched: the beginning of a key's prefix, or of the owner's email address. */
export type ApiKeySearch = { readonly prefix: string } | { readonly email: string };

export type ApiKeyFilter = {
  readonly search?: ApiKeySearch;
  readonly state?: 'current' | 'legacy' | 'revoked';
};

/** Newest first; a search by prefix or email address in that order. */
export function listApiKeyIds(executor: Executor, filter: ApiKeyFilter, page: PageRequest): Promise<IdPage> {
  return readIdPage(executor, sourceOf(executor, filter), page);
}

export function countApiKeys(executor: Executor, filter: ApiKeyFilter): Promise<ListTotal> {
  return countRows(executor, sourceOf(executor, filter));
}

export type OwnedApiKeyRow = ApiKeyRow & { readonly email: string };

/** The API keys with these ids, in any order. */
export async function findListedApiKeys(executor: Executor, ids: readonly string[]): Promise<OwnedApiKeyRow[]> {
  if (ids.length === 0) return [];
  return executor
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .selectAll('api_keys')
    .select('users.email')
    .where('api_keys.id', 'in', ids)
    .execute();
}

function sourceOf(executor: Executor, { search, state }: ApiKeyFilter): ListSource {
  const filter = {
    columns: sql`api_keys.revoked_at_ms as revoked_ms, api_keys.is_legacy as is_legacy`,
    condition: conditionOf(state),
  };
  const found = { id: sql.ref('api_keys.id'), ...(state && { filter }) };
  if (!search) return { from: sql`api_keys where ${selectByIndex(state)}`, ...found };
  if ('prefix' in search) {
    const order = binary(executor, sql.ref('api_keys.key_prefix'));
    return { from: sql`api_keys where ${beginsWith(order, search.prefix)}`, order, ...found };
  }
  const order = binary(executor, sql.ref('users.email_key'));
  const owned = sql`users inner join api_keys on api_keys.user_id = users.id`;
  return { from: sql`${owned} where ${beginsWith(order, search.email)}`, order, ...found };
}

/** Literals, so that the database uses the indexes of these keys alone. */
function selectByIndex(state: ApiKeyFilter['state']) {
  switch (state) {
    case 'legacy':
      return sql`api_keys.is_legacy = 1`;
    case 'revoked':
      return sql`api_keys.revoked_at_ms is not null`;
    default:
      return sql`1 = 1`;
  }
}

function conditionOf(state: ApiKeyFilter['state']) {
  switch (state) {
    case 'revoked':
      return sql`scanned.revoked_ms is not null`;
    case 'legacy':
      return sql`scanned.revoked_ms is null and scanned.is_legacy = 1`;
    default:
      return sql`scanned.revoked_ms is null`;
  }
}

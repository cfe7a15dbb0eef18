/** The list of API keys, including revoked ones, by prefix or owner. */
import { expressionBuilder, sql } from 'kysely';
import type { apiKeysQuery, ListedApiKey } from '../../shared/api/admin/api-keys.ts';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import { apiKeyPrefix } from '../../shared/formats/api-key.ts';
import { toEmailKey } from '../../shared/formats/email.ts';
import type { Executor } from '../database/database.ts';
import type { DatabaseList, ListDefinition } from '../database/database-list.ts';
import { type ListSource, listRows, searchRows } from '../database/list-page.ts';
import type { Tables } from '../database/tables.ts';
import type { ApiKeyRow } from './api-key.repository.ts';
import { toApiKeyRecord } from './api-key-admin.service.ts';

type ApiKeyQuery = ListFilter<typeof apiKeysQuery>;

type ListedRow = ApiKeyRow & { readonly email: string };

/** The list of API keys, newest first; a search by prefix or email address is ordered by that text. */
export const apiKeyList: ListDefinition<ApiKeyQuery, ListedRow, ListedApiKey> = {
  source: sourceOf,
  findRows: (executor, ids) =>
    executor
      .selectFrom('api_keys')
      .innerJoin('users', 'users.id', 'api_keys.user_id')
      .selectAll('api_keys')
      .select('users.email')
      .where('api_keys.id', 'in', ids)
      .execute(),
  toItem: (row) => ({ ...toApiKeyRecord(row), email: row.email }),
};

export type ApiKeyList = DatabaseList<ApiKeyQuery, ListedRow, ListedApiKey>;

const eb = expressionBuilder<Tables, 'api_keys'>();
const isRevoked = eb('api_keys.revoked_at_ms', 'is not', null);
const isCurrent = eb('api_keys.revoked_at_ms', 'is', null);
/** With a literal, so that the database can use the partial indexes for it. */
const isLegacy = eb('api_keys.is_legacy', '=', sql.lit(1));

const conditions = { legacy: eb.and([isCurrent, isLegacy]), revoked: isRevoked, current: isCurrent } as const;

function sourceOf(executor: Executor, { search: text = '', state }: ApiKeyQuery): ListSource {
  const rows = executor.selectFrom('api_keys');
  const found = { id: 'api_keys.id', filter: [state && conditions[state]] } as const;
  if (text === '') {
    // The condition that an index serves in list order.
    const indexed = state === 'legacy' ? isLegacy : state === 'revoked' ? isRevoked : undefined;
    return listRows({ ...found, rows: indexed ? rows.where(indexed) : rows });
  }
  if (text.includes('@') || !text.startsWith(apiKeyPrefix)) {
    const owned = rows.innerJoin('users', 'users.id', 'api_keys.user_id');
    return searchRows(executor, { ...found, rows: owned, text: 'users.email_key', prefix: toEmailKey(text) });
  }
  // Only this much of a key is stored.
  const prefix = text.slice(0, apiKeyPrefix.length + 4);
  return searchRows(executor, { ...found, rows, text: 'api_keys.key_prefix', prefix });
}

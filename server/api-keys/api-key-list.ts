/** The list of API keys, including revoked ones, by prefix or owner. */
import { sql } from 'kysely';
import type { apiKeysQuery, ListedApiKey } from '../../shared/api/admin/api-keys.ts';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import { apiKeyPrefix } from '../../shared/formats/api-key.ts';
import { toEmailKey } from '../../shared/formats/email.ts';
import type { Executor } from '../database/database.ts';
import type { DatabaseList, ListDefinition } from '../database/database-list.ts';
import { type ListSource, searchBy } from '../database/list-page.ts';
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

function sourceOf(executor: Executor, { search = '', state }: ApiKeyQuery): ListSource {
  const text = search.trim();
  const found = {
    id: sql.ref('api_keys.id'),
    filter: {
      columns: sql`api_keys.revoked_at_ms as revoked_ms, api_keys.is_legacy as is_legacy`,
      conditions: [state && conditionOf(state)],
    },
  };
  const from = sql`api_keys`;
  if (text === '') return { from, where: [selectByIndex(state)], ...found };
  if (text.includes('@') || !text.startsWith(apiKeyPrefix)) {
    const owned = sql`users inner join api_keys on api_keys.user_id = users.id`;
    const prefix = toEmailKey(text);
    return { ...searchBy(executor, { from: owned, where: [], text: 'users.email_key', prefix }), ...found };
  }
  // Only this much of a key is stored.
  const prefix = text.slice(0, apiKeyPrefix.length + 4);
  return { ...searchBy(executor, { from, where: [], text: 'api_keys.key_prefix', prefix }), ...found };
}

/** Returns the condition with literals, so that the database can use the partial indexes for it. */
function selectByIndex(state: ApiKeyQuery['state']) {
  switch (state) {
    case 'legacy':
      return sql`api_keys.is_legacy = 1`;
    case 'revoked':
      return sql`api_keys.revoked_at_ms is not null`;
    default:
      return undefined;
  }
}

function conditionOf(state: ApiKeyQuery['state']) {
  switch (state) {
    case 'revoked':
      return sql`scanned.revoked_ms is not null`;
    case 'legacy':
      return sql`scanned.revoked_ms is null and scanned.is_legacy = 1`;
    default:
      return sql`scanned.revoked_ms is null`;
  }
}

/** The API keys as the admin page lists them. */
import type { ListedApiKey } from '../../shared/api/admin/api-keys.ts';
import { apiKeyPrefix } from '../../shared/formats/api-key.ts';
import type { Database } from '../database/database.ts';
import { inOrderOf, type ListTotal, type PageRequest } from '../database/list-page.ts';
import { ApiError } from '../errors.ts';
import { isUuid } from '../random.ts';
import { toAdminApiKey } from './api-key-admin.service.ts';
import {
  type ApiKeyFilter,
  type ApiKeySearch,
  countApiKeys,
  findListedApiKeys,
  listApiKeyIds,
  type OwnedApiKeyRow,
} from './api-key-list.repository.ts';

/** What the list is narrowed to. */
export type ApiKeyQuery = {
  /** A key or the beginning of one, or the beginning of the owner's email address. */
  readonly search?: string;
  readonly state?: ApiKeyFilter['state'];
};

export type ApiKeyListServiceDeps = { readonly database: Pick<Database, 'read'> };

export class ApiKeyListService {
  readonly #deps: ApiKeyListServiceDeps;

  constructor(deps: ApiKeyListServiceDeps) {
    this.#deps = deps;
  }

  async readPage(query: ApiKeyQuery, page: PageRequest): Promise<{ rows: ListedApiKey[]; next: string | null }> {
    const { read } = this.#deps.database;
    const { ids, next } = await listApiKeyIds(read, toFilter(query), page);
    const rows = await findListedApiKeys(read, ids);
    return { rows: inOrderOf(ids, rows).map(toRow), next };
  }

  /** Also one that was revoked. Throws `ApiError` NOT_FOUND. */
  async get(id: string): Promise<ListedApiKey> {
    const [row] = isUuid(id) ? await findListedApiKeys(this.#deps.database.read, [id]) : [];
    if (!row) throw new ApiError('NOT_FOUND', 'There is no API key with this id.');
    return toRow(row);
  }

  count(query: ApiKeyQuery): Promise<ListTotal> {
    return countApiKeys(this.#deps.database.read, toFilter(query));
  }
}

function toRow(row: OwnedApiKeyRow): ListedApiKey {
  return { ...toAdminApiKey(row), email: row.email };
}

function toFilter({ search, state }: ApiKeyQuery): ApiKeyFilter {
  const text = search?.trim() ?? '';
  return { ...(text && { search: parseSearch(text) }), ...(state && { state }) };
}

function parseSearch(text: string): ApiKeySearch {
  if (text.includes('@') || !text.startsWith(apiKeyPrefix)) return { email: text.normalize('NFC').toLowerCase() };
  // Only so much of a key is stored.
  return { prefix: text.slice(0, apiKeyPrefix.length + 4) };
}

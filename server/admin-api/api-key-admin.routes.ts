/** Admin page endpoints for API keys. */
import type { ListedApiKey } from '../../shared/api/admin/api-keys.ts';
import type { ApiKeyList } from '../api-keys/api-key-list.ts';
import { ApiError } from '../errors.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';
import type { CsvLayout, ListResponses } from './list-response.ts';

const csv: CsvLayout<ListedApiKey> = {
  name: 'api-keys',
  columns: ['id', 'api_key_prefix', 'email', 'is_legacy', 'created_at', 'expires_at', 'revoked_at'],
};

export function addApiKeyAdminRoutes(routes: EndpointRoutes, services: Services, lists: ListResponses): void {
  const { apiKeyAdmin, apiKeyList, statistics } = services;
  const estimate = () => statistics.estimate('api_keys');
  routes.add('apiKeys', ({ query }) => lists.read(apiKeyList, query, { name: 'api_keys', csv, estimate }));
  routes.add('revokeApiKey', async ({ params, by }) => {
    const { user_id } = await requireKey(apiKeyList, params.id);
    await apiKeyAdmin.revoke(user_id, by, params.id);
    return requireKey(apiKeyList, params.id);
  });
}

/** Returns the key with this id, even if it is revoked. Throws `ApiError` NOT_FOUND. */
async function requireKey(list: ApiKeyList, id: string): Promise<ListedApiKey> {
  const key = await list.find(id);
  if (!key) throw new ApiError('NOT_FOUND', 'There is no API key with this id.');
  return key;
}

/** The endpoints of the admin page about API keys. */
import type { ListedApiKey } from '../../shared/api/admin/api-keys.ts';
import type { ApiKeyAdminService } from '../api-keys/api-key-admin.service.ts';
import type { ApiKeyListService } from '../api-keys/api-key-list.service.ts';
import { CsvFile } from '../http/endpoint-handler.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { byStaff } from '../staff/signed-in-staff.ts';
import type { StatisticsService } from '../statistics/statistics.service.ts';
import type { CsvLayout, ListResponses } from './list-response.ts';

type Services = {
  readonly apiKeyAdmin: ApiKeyAdminService;
  readonly apiKeyList: ApiKeyListService;
  readonly statistics: StatisticsService;
};

const csv: CsvLayout<ListedApiKey> = {
  name: 'api-keys',
  columns: ['id', 'api_key_prefix', 'email', 'is_legacy', 'created_at', 'expires_at', 'revoked_at'],
};

export function addApiKeyAdminRoutes(routes: EndpointRoutes, services: Services, lists: ListResponses): void {
  const { apiKeyAdmin, apiKeyList, statistics } = services;
  routes.add('apiKeys', async ({ query }) => {
    const found = await lists.read(apiKeyList, query, { csv, estimate: () => statistics.estimate('api_keys') });
    return found instanceof CsvFile ? found : { api_keys: found.rows, next: found.next, total: found.total };
  });
  routes.add('revokeApiKey', async ({ params, staff, address }) => {
    const { user_id } = await apiKeyList.get(params.id);
    await apiKeyAdmin.revoke(user_id, byStaff(staff, address), params.id);
    return apiKeyList.get(params.id);
  });
}

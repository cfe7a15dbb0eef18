/** The endpoints of API keys. */
import type { EndpointRoutes } from '../http/contract-route.ts';
import type { ApiKeyService } from './api-key.service.ts';
import type { ApiKeyValidation } from './api-key-validation.service.ts';
import { readPresentedKey } from './presented-key.ts';

type Services = { apiKeys: ApiKeyService; apiKeyValidation: ApiKeyValidation };

export function addApiKeyRoutes(routes: EndpointRoutes, { apiKeys, apiKeyValidation }: Services): void {
  routes.add('apiKey', ({ user, body }) => apiKeys.generateOrRetrieve(user.id, body.regenerate));
  routes.add('validateApiKey', async ({ body, headers }) =>
    apiKeyValidation.validate(readPresentedKey(body.api_key, headers['x-api-key'])),
  );
}

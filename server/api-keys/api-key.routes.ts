/** The endpoints of API keys. */
import type { Contract } from '../http/contract-route.ts';
import type { ApiKeyService } from './api-key.service.ts';
import type { ApiKeyValidation } from './api-key-validation.service.ts';
import { readPresentedKey } from './presented-key.ts';

type Services = { apiKeys: ApiKeyService; apiKeyValidation: ApiKeyValidation };

export function addApiKeyRoutes(contract: Contract, { apiKeys, apiKeyValidation }: Services): void {
  contract.add('apiKey', ({ account, body }) => apiKeys.generateOrRetrieve(account.id, body.regenerate));
  contract.add('validateApiKey', async ({ body, headers }) =>
    apiKeyValidation.validate(readPresentedKey(body.api_key, headers['x-api-key'])),
  );
}

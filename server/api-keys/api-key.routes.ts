/** The `/metrics/api-key*` endpoints. */
import { ApiError } from '../errors.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { readIdempotentRequest } from '../http/idempotency-key.ts';
import type { Services } from '../services.ts';

export function addApiKeyRoutes(routes: EndpointRoutes, { apiKeys, apiKeyValidation, apiKeyReports }: Services): void {
  routes.add('apiKey', (request) => {
    const { user, body, by } = request;
    const idempotent = readIdempotentRequest(request, { userId: user.id, body });
    const wanted = { userId: user.id, sessionId: user.sessionId, regenerate: body.regenerate, by };
    if (idempotent === undefined) return apiKeys.generateOrRetrieve(wanted);
    return apiKeys.generateOrRepeat(wanted, idempotent);
  });
  routes.add('validateApiKey', ({ body, headers }) =>
    apiKeyValidation.validate(readPresentedKey(body.api_key, headers['x-api-key'])),
  );
  routes.add('apiKeyStatus', ({ user }) => apiKeys.readStatus(user.id));
  routes.add('reportApiKey', async ({ body, by }) => {
    await apiKeyReports.report({ apiKey: body.api_key }, by);
  });
}

/** Returns the API key of a request. Throws `ApiError` VALIDATION_ERROR if there is none, or two that differ. */
export function readPresentedKey(inBody: string | undefined, inHeader: string | string[] | undefined): string {
  const header = Array.isArray(inHeader) ? inHeader.join(', ') : inHeader;
  if (inBody !== undefined && header !== undefined && inBody !== header) {
    throw new ApiError('VALIDATION_ERROR', 'api_key and the x-api-key header differ: send only one of them.');
  }
  const key = inBody ?? header;
  if (key === undefined) {
    throw new ApiError('VALIDATION_ERROR', 'api_key is required: send it in the body or in the x-api-key header.');
  }
  return key;
}

/** API keys of accounts. */
import type { Endpoint } from '../endpoints.ts';
import { confirm, owner, viewer } from './access.ts';
import { apiKeyList, apiKeyRow, apiKeysQuery } from './api-keys.ts';
import { idParams } from './fields.ts';

export const apiKeyEndpoints = {
  apiKeys: {
    summary: 'List API keys, without the keys themselves',
    method: 'GET',
    path: '/admin/api-keys',
    ...viewer,
    query: apiKeysQuery,
    response: apiKeyList,
    errors: [],
  },
  revokeApiKey: {
    summary: 'Revoke an API key for good',
    method: 'DELETE',
    path: '/admin/api-keys/:id',
    ...owner,
    confirm,
    params: idParams,
    response: apiKeyRow,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
} as const satisfies Record<string, Endpoint>;

/** API keys, as staff see them: never a key itself. */
import { z } from 'zod';
import { apiKeyRecord } from './accounts.ts';
import { listQuery, pageFields } from './fields.ts';

/**
 * `search` is the beginning of a key's prefix or of the owner's email address. A page that is given a whole key sends its
 * prefix, because a key must not be in a URL. Newest first; a search is in the order of what it searches.
 */
export const apiKeysQuery = listQuery.extend({
  state: z.enum(['current', 'legacy', 'revoked'], 'must be current, legacy or revoked').optional(),
});

export const apiKeyRow = apiKeyRecord.extend({ email: z.string() });
export type ListedApiKey = z.infer<typeof apiKeyRow>;

export const apiKeyList = z.object({ api_keys: z.array(apiKeyRow), ...pageFields });

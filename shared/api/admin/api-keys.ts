/** API keys as staff see them: never the keys themselves. */
import { z } from 'zod';
import { apiKeyRecord } from './accounts.ts';
import { listQuery, pageFields } from './fields.ts';

/**
 * `search` is the beginning of a key's prefix or of the owner's email address. Given a whole key, the page sends only
 * its prefix, because a key must not appear in a URL. Newest first; with `search`, sorted by the matched column.
 */
export const apiKeysQuery = listQuery.extend({
  state: z.enum(['current', 'legacy', 'revoked'], 'must be current, legacy or revoked').optional(),
});

export const apiKeyRow = apiKeyRecord.extend({ email: z.string() });
export type ListedApiKey = z.infer<typeof apiKeyRow>;

export const apiKeyList = z.object({ api_keys: z.array(apiKeyRow), ...pageFields });

/** How an API key is made, kept and shown: SHA-256 at rest, four characters after the prefix to people. */
import { createHash } from 'node:crypto';
import { apiKeyPrefix, formatApiKey, previewApiKey } from '../../shared/formats/api-key.ts';
import type { Random } from '../random.ts';

/** In hex. The key has 144 random bits, so that a plain hash is enough. */
export function hashApiKey(apiKey: string): string {
  return createHash('sha256').update(apiKey).digest('hex');
}

export function newApiKey(random: Random): string {
  return formatApiKey(random(18).toString('base64url'));
}

/** What is shown of a legacy key of which only the hash is known. */
export const unknownPreview = `${apiKeyPrefix}????`;

/** What may be shown of a legacy key: of another shape than ours, at most a third of it. */
export function previewLegacyKey(key: string): string {
  const preview = previewApiKey(key);
  if (key.startsWith(apiKeyPrefix) && key.length >= 2 * preview.length) return preview;
  return key.slice(0, Math.min(preview.length, Math.floor(key.length / 3)));
}

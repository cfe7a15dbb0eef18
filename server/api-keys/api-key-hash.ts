/** Creates API keys, hashes them with SHA-256 for storage, and derives their previews. */
import { hash } from 'node:crypto';
import { apiKeyPrefix, formatApiKey, previewApiKey } from '../../shared/formats/api-key.ts';
import type { Random } from '../random.ts';

/** Returns the hash in hex, as stored in the database. A key has 144 random bits, so a plain hash is sufficient. */
export function hashApiKey(apiKey: string): string {
  return hash('sha256', apiKey, 'hex');
}

export function newApiKey(random: Random): string {
  return formatApiKey(random(18).toString('base64url'));
}

/** Preview of a legacy key of which only the hash is known. */
export const unknownPreview = `${apiKeyPrefix}????`;

/**
 * Returns the preview of a legacy key, which may have a different format than ours: at most a third of its characters.
 */
export function previewLegacyKey(key: string): string {
  const preview = previewApiKey(key);
  if (key.startsWith(apiKeyPrefix) && key.length >= 2 * preview.length) return preview;
  return key.slice(0, Math.min(preview.length, Math.floor(key.length / 3)));
}

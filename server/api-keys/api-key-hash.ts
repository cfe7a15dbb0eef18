/** Creates API keys, hashes them with SHA-256 for the database, and previews them. */
import { hash } from 'node:crypto';
import { apiKeyPrefix, formatApiKey, previewApiKey } from '../../shared/formats/api-key.ts';
import type { Random } from '../random.ts';

/** In hex, as the database has it. A key has 144 random bits, so a plain hash is enough. */
export function hashApiKey(apiKey: string): string {
  return hash('sha256', apiKey, 'hex');
}

export function newApiKey(random: Random): string {
  return formatApiKey(random(18).toString('base64url'));
}

/** The preview of a legacy key of which only the hash is known. */
export const unknownPreview = `${apiKeyPrefix}????`;

/** The preview of a legacy key, which may have another form than ours: at most a third of it. */
export function previewLegacyKey(key: string): string {
  const preview = previewApiKey(key);
  if (key.startsWith(apiKeyPrefix) && key.length >= 2 * preview.length) return preview;
  return key.slice(0, Math.min(preview.length, Math.floor(key.length / 3)));
}

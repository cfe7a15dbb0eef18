/** A webhook endpoint: its URL, the events that it wants, and the secret of its signatures. */
import { type WebhookEventType, webhookEventTypes } from '../../shared/api/admin/webhooks.ts';
import { decrypt, deriveKey, encrypt } from '../encryption.ts';
import { ApiError } from '../errors.ts';
import type { Random } from '../random.ts';
import type { EndpointRow } from './webhook.repository.ts';

const secretBytes = 32;
const maxUrlLength = 2000;
const everything = '*';

/** The key that encrypts the secrets of endpoints. */
export function deriveEndpointKey(masterKey: Buffer): Buffer {
  return deriveKey(masterKey, 'webhook endpoints');
}

/** A new secret, and how it is stored. */
export function newSecret(encryptionKey: Buffer, id: string, random: Random): { key: Buffer; sealed: string } {
  const key = random(secretBytes);
  return { key, sealed: encrypt(encryptionKey, key, id, random) };
}

export function openSecret(encryptionKey: Buffer, { id, sealed_secret }: EndpointRow): Buffer {
  return decrypt(encryptionKey, sealed_secret, id);
}

/** The URL in its normal form, without a fragment. Throws `ApiError` VALIDATION_ERROR. */
export function parseEndpointUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || text.length > maxUrlLength) {
    throw new ApiError('VALIDATION_ERROR', `url must be an address such as https://example.com/events.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new ApiError('VALIDATION_ERROR', 'url must not contain a user or a password.');
  }
  url.hash = '';
  return url.href;
}

/** How the types of an endpoint are stored; none stand for all, also those of later versions. */
export function formatEvents(types: readonly WebhookEventType[]): string {
  return types.length === 0 ? everything : ` ${[...new Set(types)].join(' ')} `;
}

export function parseEvents(stored: string): WebhookEventType[] {
  return webhookEventTypes.filter((type) => stored === everything || stored.includes(` ${type} `));
}

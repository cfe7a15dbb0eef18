/** Parts of a webhook endpoint: its URL, the events it wants and its signing secret. */
import { type WebhookEventType, webhookEventTypes } from '../../shared/api/admin/webhooks.ts';
import { ApiError } from '../errors.ts';
import type { Random } from '../random.ts';
import { SecretBox } from '../secrets/secret-box.ts';
import type { Secrets } from '../secrets/secrets.ts';

const secretBytes = 32;
const maxUrlLength = 2000;
const everything = '*';

/** Creates the box that encrypts the secrets of endpoints. */
export function createEndpointBox(secrets: Pick<Secrets, 'masterKeys' | 'refresh'>): SecretBox {
  return new SecretBox(secrets, 'webhook endpoints');
}

/** Creates a secret, and its stored form. */
export function newSecret(box: SecretBox, id: string, random: Random): { key: Buffer; sealed: string } {
  const key = random(secretBytes);
  return { key, sealed: box.encrypt(key, id, random) };
}

/** Returns the normalized URL without its fragment. Throws `ApiError` VALIDATION_ERROR. */
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

/** Returns the stored form of event types; no types means all, including those of later versions. */
export function formatEvents(types: readonly WebhookEventType[]): string {
  return types.length === 0 ? everything : ` ${[...new Set(types)].join(' ')} `;
}

export function parseEvents(stored: string): WebhookEventType[] {
  return webhookEventTypes.filter((type) => stored === everything || stored.includes(` ${type} `));
}

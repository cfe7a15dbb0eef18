/** The events that the server sends to webhook endpoints. */

export const webhookEventTypes = [
  'license.activated',
  'license.released',
  'license.revoked',
  'subscription.changed',
  'api_key.regenerated',
  'device.suspicious',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** Ids, previews and plain values. Never a secret. */
export type EventData = Readonly<Record<string, string | number | boolean | null>>;

export type WebhookEvent = {
  readonly type: WebhookEventType;
  /** The account that it is about, if any. Its id and email become part of the data. */
  readonly userId: string | null;
  readonly data: EventData;
};

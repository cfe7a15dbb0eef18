/** The events that the server sends to webhook endpoints. */
import type { WebhookEventType } from '../../shared/api/admin/webhooks.ts';

/** Ids, previews and plain values. Never a secret. */
export type EventData = Readonly<Record<string, string | number | boolean | null>>;

export type WebhookEvent = {
  readonly type: WebhookEventType;
  /** The account that it is about, if any. Its id and email become part of the data. */
  readonly userId: string | null;
  readonly data: EventData;
};

/** The events that the server sends to webhook endpoints. */
import type { WebhookEventType } from '../../shared/api/admin/webhooks.ts';
import type { WebhookEventOf } from '../../shared/api/webhook-events.ts';

/** Ids, previews and plain values. Never a secret. */
export type EventData<T extends WebhookEventType> = Readonly<Omit<WebhookEventOf<T>['data'], 'account_id' | 'email'>>;

export type WebhookEvent = {
  [T in WebhookEventType]: {
    readonly type: T;
    /** The account that it is about, if any. Its id and email become part of the data. */
    readonly userId: string | null;
    readonly data: EventData<T>;
  };
}[WebhookEventType];

/** Events that the server sends to webhook endpoints. */
import type { WebhookEventType } from '../../shared/api/admin/webhooks.ts';
import type { WebhookEventOf } from '../../shared/api/webhook-events.ts';

/** Data of an event: ids, previews and plain values, never a secret. */
export type EventData<T extends WebhookEventType> = Readonly<Omit<WebhookEventOf<T>['data'], 'account_id' | 'email'>>;

export type WebhookEvent = {
  [T in WebhookEventType]: {
    readonly type: T;
    /** Account that the event is about, if any. Its id and email become part of the data. */
    readonly userId: string | null;
    readonly data: EventData<T>;
  };
}[WebhookEventType];

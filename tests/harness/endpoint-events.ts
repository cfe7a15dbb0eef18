/** The events that an endpoint of an app of the test gets, each read by the schema of its type. */
import { z } from 'zod';
import { type WebhookEventType, webhookEventTypes } from '../../shared/api/admin/webhooks.ts';
import { type WebhookEventOf, webhookEvents } from '../../shared/api/webhook-events.ts';
import { startEventReceiver } from './event-receiver.ts';
import type { TestApp } from './start-app.ts';

type AnyEvent = { [T in WebhookEventType]: WebhookEventOf<T> }[WebhookEventType];

/** Delivers what is due, and returns the events since the last call, in the order of their types. */
export type ReadEvents = () => Promise<AnyEvent[]>;

/** What the app needs to send events to the test. */
export const allowPrivate = { LATCHKEY_WEBHOOK_ALLOW_PRIVATE: '1' };

export async function listenToEvents(app: TestApp, ...types: readonly WebhookEventType[]): Promise<ReadEvents> {
  const receiver = await startEventReceiver();
  const words = types.flatMap((type) => ['--event', type]);
  await app.admin('webhook', 'add', receiver.url, ...words);
  return async () => {
    await app.services.deliveries.begin((error) => {
      throw error;
    });
    await app.services.deliveries.idle();
    const events = receiver.received.map(({ body }) => readEvent(JSON.parse(body)));
    receiver.received.length = 0;
    return events.sort((one, other) => one.type.localeCompare(other.type));
  };
}

/** Throws for fields that its schema does not have. */
function readEvent(event: { readonly type: string }): AnyEvent {
  const type = z.enum(webhookEventTypes).parse(event.type);
  const schema = webhookEvents[type];
  return schema.extend({ data: schema.shape.data.strict() }).strict().parse(event) as AnyEvent;
}

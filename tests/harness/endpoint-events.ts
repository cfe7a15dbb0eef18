/** The events that a webhook endpoint receives from a test app, each parsed with the schema of its type. */
import { z } from 'zod';
import { type WebhookEventType, webhookEventTypes } from '../../shared/api/admin/webhooks.ts';
import { type WebhookEventOf, webhookEvents } from '../../shared/api/webhook-events.ts';
import { startEventReceiver } from './event-receiver.ts';
import type { TestApp } from './start-app.ts';

type AnyEvent = { [T in WebhookEventType]: WebhookEventOf<T> }[WebhookEventType];

/** Delivers due events and returns those received since the last call, sorted by type. */
export type ReadEvents = () => Promise<AnyEvent[]>;

/** Settings that let the app send events to the test. */
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

/** Parses an event; throws for fields that its schema does not have. */
function readEvent(event: { readonly type: string }): AnyEvent {
  const type = z.enum(webhookEventTypes).parse(event.type);
  const schema = webhookEvents[type];
  return schema.extend({ data: schema.shape.data.strict() }).strict().parse(event) as AnyEvent;
}

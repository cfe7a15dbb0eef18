/** Events as billing providers send them, signed with third-party libraries. */
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { TestServer } from '../../harness/test-server.ts';

export const billingSecret = `whsec_${randomBytes(32).toString('base64')}`;

let count = 0;

export function newEventId(): string {
  return `msg_${++count}_${randomBytes(6).toString('hex')}`;
}

export type SubscriptionData = Readonly<Record<string, unknown>> & { readonly email: string };

/** Builds an event that gives the account the plan `standard` for a hundred years, unless `data` says otherwise. */
export function subscriptionEvent(atMs: number, data: SubscriptionData) {
  return {
    type: 'subscription.updated',
    timestamp: new Date(atMs).toISOString(),
    data: {
      plan: 'standard',
      status: 'active',
      current_period_start: '2026-01-01T00:00:00.000Z',
      current_period_end: '2126-01-01T00:00:00.000Z',
      cancel_at_period_end: false,
      ...data,
    },
  };
}

export type Sending = {
  readonly id?: string;
  /** Time of signing; now by default. */
  readonly atMs?: number;
  readonly secret?: string;
  /** Headers to change after signing. */
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends a body to the billing webhook, signed with the Standard Webhooks library. */
export function sendEvent(server: Pick<TestServer, 'request' | 'now'>, event: object | string, sending: Sending = {}) {
  const { id = newEventId(), atMs = server.now(), secret = billingSecret, headers } = sending;
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const signature = new Webhook(secret).sign(id, new Date(atMs), body);
  return server.request('POST', '/api/v1/billing/webhook', {
    body,
    headers: {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(atMs / 1000)),
      'webhook-signature': signature,
      ...headers,
    },
  });
}

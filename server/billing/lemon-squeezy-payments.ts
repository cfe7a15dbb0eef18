/**
 * Payments and refunds at Lemon Squeezy: an order is the first payment of a subscription, a subscription invoice is any
 * of its payments. docs.lemonsqueezy.com/api/orders/the-order-object,
 * docs.lemonsqueezy.com/api/subscription-invoices/the-subscription-invoice-object.
 */
import { z } from 'zod';
import type { BillingContent } from './billing-event.ts';
import { instant, lemonSqueezyId, storableText } from './payload.ts';

const id = lemonSqueezyId;

const attributes = z.object({
  customer_id: id.nullish(),
  user_email: storableText(254).nullish(),
  status: storableText(100),
  refunded: z.boolean().default(false),
  refunded_at: instant.nullish(),
  updated_at: instant,
});
type Attributes = z.output<typeof attributes>;

const order = z.object({ type: z.literal('orders'), id, attributes });
const invoice = z.object({
  type: z.literal('subscription-invoices'),
  id,
  attributes: attributes.extend({ subscription_id: id, total: z.int().optional() }),
});

type PaymentEvent = { readonly atMs: number; readonly content: BillingContent };

const nothing: BillingContent = { kind: 'nothing' };

/** Returns `undefined` for an event of another type, or one that cannot be understood. */
export function readPaymentEvent(eventName: string, data: unknown): PaymentEvent | undefined {
  switch (eventName) {
    case 'order_refunded': {
      const { data: parsed } = order.safeParse(data);
      return parsed && readRefund(parsed.attributes, { orderId: parsed.id });
    }
    case 'subscription_payment_refunded': {
      const { data: parsed } = invoice.safeParse(data);
      return parsed && readRefund(parsed.attributes, { reference: parsed.attributes.subscription_id });
    }
    case 'subscription_payment_success':
    case 'subscription_payment_recovered': {
      const { data: parsed } = invoice.safeParse(data);
      if (!parsed) return undefined;
      const { status, total = 1, subscription_id: reference, updated_at: atMs } = parsed.attributes;
      const paid = status === 'paid' && total > 0 ? { reference, atMs } : undefined;
      return { atMs, content: { kind: 'payment', links: [], paid } };
    }
    default:
      return undefined;
  }
}

/** Both refund events are also sent for a partial refund, which changes nothing. */
function readRefund(
  { status, refunded, refunded_at, updated_at, customer_id, user_email }: Attributes,
  of: { readonly orderId: string } | { readonly reference: string },
): PaymentEvent {
  const atMs = refunded_at ?? updated_at;
  const isWhole = status === 'refunded' || (refunded && status !== 'partial_refund');
  if (!isWhole) return { atMs, content: nothing };
  const refund = { ...of, customerId: customer_id ?? undefined, email: user_email ?? undefined };
  return { atMs, content: { kind: 'refund', links: [], refund } };
}

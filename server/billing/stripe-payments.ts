/**
 * Payments, refunds and disputes at Stripe: docs.stripe.com/api/charges/object, docs.stripe.com/api/disputes/object,
 * docs.stripe.com/api/invoices/object, docs.stripe.com/api/invoice-payment/object.
 *
 * A charge leads to its subscription through its invoice. Since API version 2025-03-31 neither names the other: the
 * invoice payment, which has its own event, connects the charge's payment intent with the invoice.
 */
import { z } from 'zod';
import type { BillingContent, PaymentLink } from './billing-event.ts';
import { seconds, storableText } from './payload.ts';

const id = storableText(255);

/** A reference to another object: its id, or the whole object if the sender has expanded it. */
const reference = z.union([id, z.object({ id }).transform((object) => object.id)]);
const optional = reference.nullish().transform((value) => value ?? undefined);

const charge = z.object({
  id,
  customer: optional,
  payment_intent: optional,
  /** Sent before API version 2025-03-31; null for a charge without an invoice. */
  invoice: reference.nullish(),
  amount: z.int(),
  amount_refunded: z.int().default(0),
  refunded: z.boolean().optional(),
});

const dispute = z.object({ charge: reference, payment_intent: optional, status: storableText(100) });

const invoice = z.object({
  id,
  object: z.literal('invoice').default('invoice'),
  customer: optional,
  status: storableText(100).nullish(),
  amount_paid: z.int().default(0),
  status_transitions: z.object({ paid_at: seconds.nullish() }).nullish(),
  /** This, `charge` and `payment_intent` only until API version 2025-03-31. */
  subscription: optional,
  charge: optional,
  payment_intent: optional,
  parent: z
    .object({ subscription_details: z.object({ subscription: optional }).nullish() })
    .nullish()
    .catch(undefined),
  /** Present if the sender has expanded it. */
  payments: z
    .object({ data: z.array(z.object({ payment: z.object({ charge: optional, payment_intent: optional }) })) })
    .nullish()
    .catch(undefined),
});

const invoicePayment = z.object({
  invoice: reference,
  payment: z.object({ charge: optional, payment_intent: optional }),
});

const checkoutSession = z.object({ customer: optional, invoice: reference, subscription: reference });

export type StripeEvent = {
  readonly type: string;
  readonly atMs: number;
  readonly object: unknown;
  /** The API version that wrote the event: a date, plus a name since 2024. */
  readonly apiVersion?: string | undefined;
};

/** Returns `undefined` for an event of another type. */
export function readPaymentEvent({ type, atMs, object, apiVersion }: StripeEvent): BillingContent | undefined {
  switch (type) {
    case 'charge.succeeded':
    case 'charge.refunded':
      return readCharge(object, apiVersion);
    case 'charge.dispute.closed':
      return readDispute(object);
    case 'invoice.paid':
    case 'invoice.payment_succeeded':
      return readInvoice(object, atMs);
    case 'invoice_payment.paid':
      return readInvoicePayment(object);
    default:
      return undefined;
  }
}

/** Returns what a checkout says about the first payment of its subscription. */
export function readCheckoutLinks(object: unknown): PaymentLink[] {
  const { data } = checkoutSession.safeParse(object);
  return data ? [{ id: data.invoice, reference: data.subscription, customerId: data.customer }] : [];
}

/** Reason stored for an event of an unknown type. */
export const unknownType = 'The type of the event is not known.';

const nothing: BillingContent = { kind: 'nothing' };

/** A charge that was refunded in full takes the payment back. */
function readCharge(object: unknown, apiVersion: string | undefined): BillingContent {
  const { data } = charge.safeParse(object);
  if (!data) return { kind: 'unknown', reason: 'The charge cannot be understood.' };
  const links = linksOf(data, apiVersion);
  if (!(data.refunded ?? data.amount_refunded >= data.amount)) return { kind: 'payment', links };
  const { id: chargeId, payment_intent: paymentIntent, customer: customerId } = data;
  return { kind: 'refund', links, refund: { paymentId: paymentIntent ?? chargeId, customerId } };
}

/** Only a lost dispute takes the payment back. */
function readDispute(object: unknown): BillingContent {
  const { data } = dispute.safeParse(object);
  if (!data) return { kind: 'unknown', reason: 'The dispute cannot be understood.' };
  if (data.status !== 'lost') return nothing;
  const { charge: chargeId, payment_intent: paymentIntent } = data;
  return { kind: 'refund', links: [], refund: { paymentId: paymentIntent ?? chargeId } };
}

/** From this API version on, a charge does not name its invoice. */
const withoutInvoice = '2025-03-31';

/** Returns the links of a charge. One that explicitly has no invoice was not for a subscription. */
function linksOf(
  { id: chargeId, customer: customerId, payment_intent: paymentIntent, invoice: named }: z.output<typeof charge>,
  apiVersion = withoutInvoice,
): PaymentLink[] {
  const facts = {
    belongsTo: named ?? undefined,
    reference: named === null && apiVersion < withoutInvoice ? '' : undefined,
    customerId,
  };
  if (paymentIntent === undefined) return [{ id: chargeId, ...facts }];
  return [
    { id: chargeId, belongsTo: paymentIntent, customerId },
    { id: paymentIntent, ...facts },
  ];
}

function readInvoice(object: unknown, atMs: number): BillingContent {
  const { data, error } = invoice.safeParse(object);
  if (!data) {
    const isOther = error.issues.some(({ path }) => path[0] === 'object');
    return { kind: 'unknown', reason: isOther ? unknownType : 'The invoice cannot be understood.' };
  }
  const { id: invoiceId, customer: customerId, status_transitions: transitions } = data;
  const subscription = data.subscription ?? data.parent?.subscription_details?.subscription;
  const payments = [data, ...(data.payments?.data ?? []).map(({ payment }) => payment)];
  const ids = payments.flatMap(({ payment_intent, charge: chargeId }) => [payment_intent, chargeId]);
  const links = ids.filter((value) => value !== undefined).map((value) => ({ id: value, belongsTo: invoiceId }));
  // An invoice over nothing, such as that of a trial, pays for nothing.
  const isPaid = subscription !== undefined && data.status === 'paid' && data.amount_paid > 0;
  return {
    kind: 'payment',
    links: [...links, { id: invoiceId, reference: subscription ?? '', customerId }],
    paid: isPaid ? { reference: subscription, atMs: transitions?.paid_at ?? atMs } : undefined,
  };
}

function readInvoicePayment(object: unknown): BillingContent {
  const { data } = invoicePayment.safeParse(object);
  if (!data) return { kind: 'unknown', reason: 'The payment of the invoice cannot be understood.' };
  const ids = [data.payment.payment_intent, data.payment.charge].filter((value) => value !== undefined);
  return { kind: 'payment', links: ids.map((value) => ({ id: value, belongsTo: data.invoice })) };
}

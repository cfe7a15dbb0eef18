/** What a billing provider reports, in terms shared by all providers. */
import type { IncomingHttpHeaders } from 'node:http';
import type { BillingProviderName, SubscriptionStatus } from '../database/tables.ts';
import type { SignedRequest } from '../webhook-signature.ts';

/** The new state of an account's subscription. */
export type SubscriptionChange = {
  /** This server's token for the account that is paid for. The buyer may have removed or changed it. */
  readonly checkoutToken?: string | undefined;
  /** The account's email, if the operator's own system states it: nobody else can set it. */
  readonly accountEmail?: string | undefined;
  /** The email that the customer typed. Left out if the event has only the customer's id. */
  readonly email?: string | undefined;
  /** The provider's id of the customer. */
  readonly customerId?: string | undefined;
  /** The provider's id of the subscription, of which a customer may have several. */
  readonly reference?: string;
  /** The provider's id of the order that it was bought with. */
  readonly orderId?: string | undefined;
  /** Left out if neither the event nor the price setting says which plan. */
  readonly plan?: string | undefined;
  readonly status: SubscriptionStatus;
  /** When it was bought, in ms since 1970, like all times here. */
  readonly createdAtMs?: number | undefined;
  readonly periodStartMs?: number | undefined;
  readonly periodEndMs?: number | undefined;
  readonly cancelAtPeriodEnd: boolean;
};

/** What a payment, charge or invoice belongs to. */
export type PaymentLink = {
  readonly id: string;
  /** The payment or invoice that it is part of. */
  readonly belongsTo?: string | undefined;
  /** The subscription that it is for; empty for none. */
  readonly reference?: string | undefined;
  readonly customerId?: string | undefined;
};

/** A full refund of a payment. One of these ids leads to its subscription. */
export type Refund = {
  readonly reference?: string | undefined;
  readonly orderId?: string | undefined;
  readonly paymentId?: string | undefined;
  readonly customerId?: string | undefined;
  /** The email that the customer typed, shown to staff and used for nothing else. */
  readonly email?: string | undefined;
};

export type BillingContent =
  | { readonly kind: 'subscription'; readonly change: SubscriptionChange }
  /** The email of a customer. */
  | {
      readonly kind: 'customer';
      readonly customerId: string;
      readonly email: string;
      readonly links?: readonly PaymentLink[];
    }
  /** What payments belong to, and the subscription that was paid, if any. */
  | {
      readonly kind: 'payment';
      readonly links: readonly PaymentLink[];
      readonly paid?: { readonly reference: string; readonly atMs: number } | undefined;
    }
  | { readonly kind: 'refund'; readonly links: readonly PaymentLink[]; readonly refund: Refund }
  /** Understood, but without consequences. */
  | { readonly kind: 'nothing' }
  /** Stored for staff to see. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly email?: string | undefined };

export type BillingEvent = {
  /** The provider's id, by which repeated deliveries are recognized. */
  readonly id: string;
  readonly type: string;
  /** When it happened, in ms since 1970. */
  readonly atMs: number;
  readonly content: BillingContent;
};

/** A provider whose events a webhook accepts: how they are signed and read. */
export type BillingProvider = {
  readonly name: BillingProviderName;
  /** Returns true if the signature is valid. */
  verify(request: SignedRequest): boolean;
  /** Returns the event id, if a header contains it. */
  readEventId?(headers: IncomingHttpHeaders): string;
  /** Reads an event. Throws `ApiError` VALIDATION_ERROR if it is none. */
  read(source: EventSource): BillingEvent;
};

export type EventSource = {
  /** The event id from a header; empty if the provider sends it elsewhere or not at all. */
  readonly eventId: string;
  /** The raw body, from which an id is derived if there is none. */
  readonly body: string;
  /** The parsed body. */
  readonly payload: unknown;
  readonly receivedAtMs: number;
};

/** What a billing provider tells the server, in terms that all providers share. */
import type { BillingProviderName, SubscriptionStatus } from '../database/tables.ts';
import type { SignedRequest } from '../webhook-signature.ts';

/** What the subscription of an account is to become. */
export type SubscriptionChange = {
  /** A token of this server for the account that is paid for. The buyer may have removed or changed it. */
  readonly checkoutToken?: string | undefined;
  /** Of the account, where the system of the operator says so: nobody else can set it. */
  readonly accountEmail?: string | undefined;
  /** As the customer typed it. Left out where the event has the id of the customer only. */
  readonly email?: string | undefined;
  /** The provider's id of the customer. */
  readonly customerId?: string | undefined;
  /** The provider's id of the subscription, of which a customer may have several. */
  readonly reference?: string;
  /** The provider's id of the order that it was bought with. */
  readonly orderId?: string | undefined;
  /** Left out where neither the event nor the setting for prices says it. */
  readonly plan?: string | undefined;
  readonly status: SubscriptionStatus;
  /** When it was bought, in milliseconds since 1970 as all times are. */
  readonly createdAtMs?: number | undefined;
  readonly periodStartMs?: number | undefined;
  readonly periodEndMs?: number | undefined;
  readonly cancelAtPeriodEnd: boolean;
};

/** What a payment, a charge or an invoice belongs to. */
export type PaymentLink = {
  readonly id: string;
  /** The payment or invoice that it is part of. */
  readonly belongsTo?: string | undefined;
  /** The subscription that it is for; empty for none. */
  readonly reference?: string | undefined;
  readonly customerId?: string | undefined;
};

/** All of a payment was given back. By one of these ids its subscription is found. */
export type Refund = {
  readonly reference?: string | undefined;
  readonly orderId?: string | undefined;
  readonly paymentId?: string | undefined;
  readonly customerId?: string | undefined;
  /** As the customer typed it: for staff to see, and to nothing else. */
  readonly email?: string | undefined;
};

export type BillingContent =
  | { readonly kind: 'subscription'; readonly change: SubscriptionChange }
  /** Whose customer it is. */
  | {
      readonly kind: 'customer';
      readonly customerId: string;
      readonly email: string;
      readonly links?: readonly PaymentLink[];
    }
  /** What payments belong to, and the subscription that was paid with one. */
  | {
      readonly kind: 'payment';
      readonly links: readonly PaymentLink[];
      readonly paid?: { readonly reference: string; readonly atMs: number } | undefined;
    }
  | { readonly kind: 'refund'; readonly links: readonly PaymentLink[]; readonly refund: Refund }
  /** Understood, and nothing follows from it. */
  | { readonly kind: 'nothing' }
  /** Stored for staff to see. */
  | { readonly kind: 'unknown'; readonly reason: string; readonly email?: string | undefined };

export type BillingEvent = {
  /** By which the provider's repetitions are recognized. */
  readonly id: string;
  readonly type: string;
  /** When it happened, in milliseconds since 1970. */
  readonly atMs: number;
  readonly content: BillingContent;
};

/** A request whose signature was right, and the id of the event if a header tells it. */
export type VerifiedRequest = { readonly eventId?: string };

/** Whose events a webhook takes, and how they are signed and written. */
export type BillingProvider = {
  readonly name: BillingProviderName;
  /** Below the root of the API. */
  readonly path: string;
  /** `undefined` if the signature is not right. */
  verify(request: SignedRequest): VerifiedRequest | undefined;
  /** What an event says. `payload` is its parsed body. Throws `ApiError` VALIDATION_ERROR if it is not an event at all. */
  read(payload: unknown, source: EventSource): BillingEvent;
};

export type EventSource = {
  /** The id that a header told. */
  readonly eventId?: string;
  /** The body, from which an id is made where there is none. */
  readonly body: string;
  readonly receivedAtMs: number;
};

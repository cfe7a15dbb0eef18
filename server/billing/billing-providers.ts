/** Creates the billing providers that are configured. */
import type { BillingConfig } from '../settings/config.ts';
import type { BillingProvider } from './billing-event.ts';
import { createLemonSqueezyBilling } from './lemon-squeezy.ts';
import { createStandardBilling } from './standard-billing.ts';
import { createStripeBilling } from './stripe.ts';

export function createBillingProviders(config: BillingConfig): BillingProvider[] {
  const { webhookSecret, stripeSecret, lemonSqueezySecret, plansByPrice } = config;
  return [
    ...(webhookSecret ? [createStandardBilling(webhookSecret)] : []),
    ...(stripeSecret ? [createStripeBilling(stripeSecret, plansByPrice)] : []),
    ...(lemonSqueezySecret ? [createLemonSqueezyBilling(lemonSqueezySecret, plansByPrice)] : []),
  ];
}

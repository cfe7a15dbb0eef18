/** The billing providers that are configured. */
import type { BillingConfig } from '../config.ts';
import type { BillingProvider } from './billing-event.ts';
import { createStandardBilling } from './standard-billing.ts';

export function createBillingProviders({ webhookSecret }: BillingConfig): BillingProvider[] {
  return webhookSecret ? [createStandardBilling(webhookSecret)] : [];
}

/** Display names of billing providers. */
import type { BillingEventRecord } from '../../../../shared/api/admin/billing.ts';

export const providerNames: Readonly<Record<BillingEventRecord['provider'], string>> = {
  webhook: 'Standard Webhooks',
  stripe: 'Stripe',
  lemonsqueezy: 'Lemon Squeezy',
};

/** Webhook endpoints, their deliveries and billing events as the server would send them. */
import type { AdminResponseOf } from '../../shared/api/admin-endpoints.ts';
import { ago, id } from './sample-records.ts';

function sampleEndpoint(): AdminResponseOf<'webhooks'>['webhooks'][number] {
  return {
    id: id(400),
    url: 'https://hooks.lab.example/latchkey/events',
    events: [
      'license.activated',
      'license.released',
      'license.revoked',
      'subscription.changed',
      'api_key.regenerated',
      'device.suspicious',
    ],
    created_at: ago(40),
    disabled_at: null,
    disabled_reason: null,
    waiting: 2,
  };
}

export function sampleAddedWebhook(): AdminResponseOf<'addWebhook'> {
  const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazSZHwuAZg8=';
  return { ...sampleEndpoint(), secret, is_blocked: false };
}

export function sampleWebhooks(): AdminResponseOf<'webhooks'> {
  return {
    webhooks: [
      sampleEndpoint(),
      {
        id: id(401),
        url: `https://ticket-system.lab.example/${'inbound-'.repeat(12)}events`,
        events: ['license.revoked', 'device.suspicious'],
        created_at: ago(200),
        disabled_at: ago(3),
        disabled_reason: 'No delivery has succeeded for 3 days.',
        waiting: 0,
      },
    ],
    next: null,
    total: { count: 2, is_exact: true },
  };
}

const types = ['license.activated', 'subscription.changed', 'api_key.regenerated'];

function sampleDelivery(index: number): AdminResponseOf<'webhookDeliveries'>['deliveries'][number] {
  const state = (['pending', 'delivered', 'failed'] as const)[index % 3] ?? 'pending';
  return {
    id: id(420 + index),
    endpoint_id: id(400),
    event_id: id(450 + index),
    type: types[index % types.length] ?? '',
    account_id: id(470 + index),
    email: `ada-${index}@lab.example`,
    created_at: ago(index),
    state,
    attempts: [2, 1, 14][index % 3] ?? 0,
    last_attempt_at: ago(index),
    next_attempt_at: state === 'pending' ? ago(-0.2) : null,
    response_status: [503, 204, null][index % 3] ?? null,
    error: state === 'failed' ? 'connect ECONNREFUSED 203.0.113.9:443' : null,
  };
}

export function sampleDeliveries(count: number): AdminResponseOf<'webhookDeliveries'> {
  return {
    deliveries: Array.from({ length: count }, (_, index) => sampleDelivery(index)),
    next: count === 0 ? null : 'key-of-the-next-page',
    total: { count, is_exact: true },
  };
}

export function sampleKeptEvents(count: number): AdminResponseOf<'billingEvents'> {
  return {
    billing_events: Array.from({ length: count }, (_, index) => ({
      id: id(480 + index),
      provider: (['stripe', 'lemonsqueezy', 'webhook'] as const)[index % 3] ?? 'webhook',
      event_id: `evt_${index}`,
      type: 'customer.subscription.updated',
      state: 'dead_letter' as const,
      reason: index % 2 === 0 ? 'There is no plan "campus".' : 'Nobody knows the email of this customer.',
      email: index % 2 === 0 ? 'ada@lab.example' : null,
      event_at: ago(index + 1),
      received_at: ago(index + 1),
      payload: { id: `evt_${index}`, type: 'customer.subscription.updated', data: { object: { plan: 'campus' } } },
    })),
    next: null,
    total: { count, is_exact: true },
  };
}

/** Events received from billing providers. */
import type { Endpoint } from '../endpoints.ts';
import { confirm, support, viewer } from './access.ts';
import { billingEvent, billingEventList, billingEventsQuery } from './billing.ts';
import { idParams } from './fields.ts';

export const billingEndpoints = {
  billingEvents: {
    summary: 'List the events of billing providers, including the dead letters',
    method: 'GET',
    path: '/admin/billing-events',
    ...viewer,
    query: billingEventsQuery,
    response: billingEventList,
    errors: [],
  },
  retryBillingEvent: {
    summary: 'Retry a dead letter, for example after its plan was added',
    method: 'POST',
    path: '/admin/billing-events/:id/retry',
    ...support,
    params: idParams,
    response: billingEvent,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  dismissBillingEvent: {
    summary: 'Discard a dead letter for good; its body is deleted',
    method: 'POST',
    path: '/admin/billing-events/:id/dismiss',
    ...support,
    confirm,
    params: idParams,
    response: billingEvent,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>;

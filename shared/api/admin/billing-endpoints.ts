/** Events received from billing providers. */
import type { Endpoint } from '../endpoints.ts';
import { confirm, support, viewer } from './access.ts';
import { billingEvent, billingEventList, billingEventsQuery } from './billing.ts';
import { idParams } from './fields.ts';

export const billingEndpoints = {
  billingEvents: {
    summary: 'What billing providers have sent; those that could not be applied are kept',
    method: 'GET',
    path: '/admin/billing-events',
    ...viewer,
    query: billingEventsQuery,
    response: billingEventList,
    errors: [],
  },
  retryBillingEvent: {
    summary: 'Try an event that is kept again, such as after its plan was added',
    method: 'POST',
    path: '/admin/billing-events/:id/retry',
    ...support,
    params: idParams,
    response: billingEvent,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
  dismissBillingEvent: {
    summary: 'Ignore an event that is kept, for good; its body is deleted',
    method: 'POST',
    path: '/admin/billing-events/:id/dismiss',
    ...support,
    confirm,
    params: idParams,
    response: billingEvent,
    errors: ['NOT_FOUND'],
  },
} as const satisfies Record<string, Endpoint>;

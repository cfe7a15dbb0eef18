/** Webhook endpoints and their deliveries. */
import type { Endpoint } from '../endpoints.ts';
import { confirm, owner, support, viewer } from './access.ts';
import { idParams } from './fields.ts';
import {
  addedWebhook,
  addWebhookRequest,
  deliveriesQuery,
  delivery,
  deliveryList,
  webhookEndpoint,
  webhookList,
  webhooksQuery,
} from './webhooks.ts';

export const webhookEndpoints = {
  webhooks: {
    summary: 'List webhook endpoints',
    method: 'GET',
    path: '/admin/webhooks',
    ...viewer,
    query: webhooksQuery,
    response: webhookList,
    errors: [],
  },
  addWebhook: {
    summary: 'Add a webhook endpoint; its signing secret is in this response only',
    method: 'POST',
    path: '/admin/webhooks',
    ...owner,
    confirm,
    headers: {
      'idempotency-key':
        'Repeating a request with the same key and body within 10 minutes returns the same endpoint and secret again.',
    },
    request: addWebhookRequest,
    response: addedWebhook,
    errors: ['CONFLICT'],
  },
  removeWebhook: {
    summary: 'Disable a webhook endpoint and drop the deliveries that are pending for it',
    method: 'DELETE',
    path: '/admin/webhooks/:id',
    ...owner,
    confirm,
    params: idParams,
    response: webhookEndpoint,
    errors: ['NOT_FOUND'],
  },
  webhookDeliveries: {
    summary: 'List the deliveries of a webhook endpoint',
    method: 'GET',
    path: '/admin/webhooks/:id/deliveries',
    ...viewer,
    params: idParams,
    query: deliveriesQuery,
    response: deliveryList,
    errors: ['NOT_FOUND'],
  },
  replayDelivery: {
    summary: 'Deliver an event again, under the same id',
    method: 'POST',
    path: '/admin/deliveries/:id/replay',
    ...support,
    params: idParams,
    response: delivery,
    errors: ['NOT_FOUND', 'CONFLICT'],
  },
} as const satisfies Record<string, Endpoint>;

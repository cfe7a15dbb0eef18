/** Admin page endpoints for outgoing webhooks and those of billing providers. */
import type { BillingEventRecord } from '../../shared/api/admin/billing.ts';
import type { Delivery, WebhookEndpoint } from '../../shared/api/admin/webhooks.ts';
import { includesRole } from '../../shared/api/staff-role.ts';
import { CsvFile } from '../http/endpoint-handler.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { readIdempotentRequest } from '../http/idempotency-key.ts';
import type { Services } from '../services.ts';
import { createEndpointList } from '../webhooks/endpoint-list.ts';
import type { CsvLayout, ListResponses } from './list-response.ts';

const endpointsCsv: CsvLayout<WebhookEndpoint> = {
  name: 'webhooks',
  columns: ['id', 'url', 'events', 'created_at', 'disabled_at', 'disabled_reason', 'waiting'],
};

const deliveriesCsv: CsvLayout<Delivery> = {
  name: 'deliveries',
  columns: [
    'id',
    'event_id',
    'type',
    'created_at',
    'state',
    'attempts',
    'last_attempt_at',
    'response_status',
    'error',
    'email',
  ],
};

const billingCsv: CsvLayout<BillingEventRecord> = {
  name: 'billing-events',
  columns: ['id', 'provider', 'event_id', 'type', 'state', 'reason', 'email', 'event_at', 'received_at'],
};

export function addWebhookAdminRoutes(routes: EndpointRoutes, services: Services, lists: ListResponses): void {
  const { webhooks, endpointList, deliveryList } = services;
  const originList = createEndpointList(async () => (await webhooks.list()).map(withoutPath));
  routes.add('webhooks', ({ query, staff }) => {
    const list = staff.role === 'owner' ? endpointList : originList;
    return lists.read(list, query, { name: 'webhooks', csv: endpointsCsv });
  });
  routes.add('addWebhook', (request) => {
    const { body, staff, by } = request;
    const idempotent = readIdempotentRequest(request, { userId: staff.id, body });
    return webhooks.add(body.url, body.events, by, idempotent);
  });
  routes.add('removeWebhook', ({ params, by }) => webhooks.remove(params.id, by));
  routes.add('webhookDeliveries', async ({ params, query }) => {
    const endpointId = await webhooks.requireId(params.id);
    return lists.read(deliveryList, { ...query, endpointId }, { name: 'deliveries', csv: deliveriesCsv });
  });
  routes.add('replayDelivery', ({ params, by }) => webhooks.replay(params.id, by));
  addBilling(routes, services, lists);
}

/**
 * Removes the path and query of the URL, which may be secrets of the receiver and must not be found by a search either.
 */
function withoutPath(endpoint: WebhookEndpoint): WebhookEndpoint {
  return { ...endpoint, url: new URL(endpoint.url).origin };
}

function addBilling(routes: EndpointRoutes, { billing, billingEventList }: Services, lists: ListResponses): void {
  routes.add('billingEvents', async ({ query, staff }) => {
    const found = await lists.read(billingEventList, query, { name: 'billing_events', csv: billingCsv });
    if (found instanceof CsvFile || includesRole(staff.role, 'support')) return found;
    return { ...found, billing_events: found.billing_events.map((event) => ({ ...event, payload: null })) };
  });
  routes.add('retryBillingEvent', ({ params, by }) => billing.retry(params.id, by));
  routes.add('dismissBillingEvent', ({ params, by }) => billing.dismiss(params.id, by));
}

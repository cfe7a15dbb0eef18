/** The endpoints of the admin page about webhooks: those that events are sent to, and those of billing providers. */
import type { BillingEventRecord } from '../../shared/api/admin/billing.ts';
import type { Delivery, WebhookEndpoint } from '../../shared/api/admin/webhooks.ts';
import { includesRole } from '../../shared/api/staff-role.ts';
import type { BillingService } from '../billing/billing.service.ts';
import { CsvFile } from '../http/endpoint-handler.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { byStaff } from '../staff/signed-in-staff.ts';
import type { DeliveryListService } from '../webhooks/delivery-list.service.ts';
import { EndpointListService } from '../webhooks/endpoint-list.service.ts';
import type { WebhookService } from '../webhooks/webhook.service.ts';
import type { CsvLayout, ListResponses } from './list-response.ts';

type Services = {
  readonly webhooks: WebhookService;
  readonly endpointList: EndpointListService;
  readonly deliveryList: DeliveryListService;
  readonly billing: BillingService;
};

const endpointsCsv: CsvLayout<WebhookEndpoint> = {
  name: 'webhooks',
  columns: ['id', 'url', 'events', 'created_at', 'disabled_at', 'disabled_reason', 'waiting'],
};

const deliveriesCsv: CsvLayout<Delivery> = {
  name: 'deliveries',
  columns: ['id', 'event_id', 'type', 'created_at', 'state', 'attempts', 'last_attempt_at', 'response_status', 'error'],
};

const billingCsv: CsvLayout<BillingEventRecord> = {
  name: 'billing-events',
  columns: ['id', 'provider', 'event_id', 'type', 'state', 'reason', 'email', 'event_at', 'received_at'],
};

export function addWebhookAdminRoutes(routes: EndpointRoutes, services: Services, lists: ListResponses): void {
  const { webhooks, endpointList, deliveryList } = services;
  const listOrigins = async () => (await webhooks.listAll()).map(withoutPath);
  const originList = new EndpointListService({ webhooks: { listAll: listOrigins } });
  routes.add('webhooks', async ({ query, staff }) => {
    const list = staff.role === 'owner' ? endpointList : originList;
    const found = await lists.read(list, query, { csv: endpointsCsv });
    return found instanceof CsvFile ? found : { webhooks: found.rows, next: found.next, total: found.total };
  });
  routes.add('addWebhook', ({ body, staff, address }) => webhooks.add(body.url, body.events, byStaff(staff, address)));
  routes.add('removeWebhook', ({ params, staff, address }) => webhooks.remove(params.id, byStaff(staff, address)));
  routes.add('webhookDeliveries', async ({ params, query }) => {
    const list = await deliveryList.of(params.id);
    const found = await lists.read(list, query, { csv: deliveriesCsv });
    return found instanceof CsvFile ? found : { deliveries: found.rows, next: found.next, total: found.total };
  });
  routes.add('replayDelivery', ({ params, staff, address }) => webhooks.replay(params.id, byStaff(staff, address)));
  addBilling(routes, services, lists);
}

/** The path and the query of a URL may be a secret of the receiver, which a search must not find out either. */
function withoutPath(endpoint: WebhookEndpoint): WebhookEndpoint {
  return { ...endpoint, url: new URL(endpoint.url).origin };
}

function addBilling(routes: EndpointRoutes, { billing }: Services, lists: ListResponses): void {
  routes.add('billingEvents', async ({ query, staff }) => {
    const found = await lists.read(billing, query, { csv: billingCsv });
    if (found instanceof CsvFile) return found;
    const mayReadPayload = includesRole(staff.role, 'support');
    const events = mayReadPayload ? found.rows : found.rows.map((event) => ({ ...event, payload: null }));
    return { billing_events: events, next: found.next, total: found.total };
  });
  routes.add('retryBillingEvent', ({ params, staff, address }) => billing.retry(params.id, byStaff(staff, address)));
  routes.add('dismissBillingEvent', ({ params, staff, address }) =>
    billing.dismiss(params.id, byStaff(staff, address)),
  );
}

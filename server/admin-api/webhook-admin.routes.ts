/** The endpoints of the admin page about webhooks: those that events are sent to, and those of billing providers. */
import type { BillingEventRecord } from '../../shared/api/admin/billing.ts';
import type { Delivery, WebhookEndpoint } from '../../shared/api/admin/webhooks.ts';
import type { BillingService } from '../billing/billing.service.ts';
import { CsvFile } from '../http/endpoint-handler.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { byStaff } from '../staff/signed-in-staff.ts';
import type { DeliveryListService } from '../webhooks/delivery-list.service.ts';
import type { EndpointListService } from '../webhooks/endpoint-list.service.ts';
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
  routes.add('webhooks', async ({ query }) => {
    const found = await lists.read(endpointList, query, { csv: endpointsCsv });
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

function addBilling(routes: EndpointRoutes, { billing }: Services, lists: ListResponses): void {
  routes.add('billingEvents', async ({ query }) => {
    const found = await lists.read(billing, query, { csv: billingCsv });
    return found instanceof CsvFile ? found : { billing_events: found.rows, next: found.next, total: found.total };
  });
  routes.add('retryBillingEvent', ({ params, staff, address }) => billing.retry(params.id, byStaff(staff, address)));
}

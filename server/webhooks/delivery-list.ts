/** The list of deliveries to a webhook endpoint. */
import { sql } from 'kysely';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import type { Delivery, deliveriesQuery } from '../../shared/api/admin/webhooks.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { lowerBeginsWith } from '../database/list-page.ts';
import type { DeliveryRow } from './delivery.repository.ts';
import { toDelivery } from './webhook.service.ts';

type DeliveryQuery = ListFilter<typeof deliveriesQuery> & { readonly endpointId: string };

/** Newest first. */
export const deliveryList: ListDefinition<DeliveryQuery, DeliveryRow, Delivery> = {
  source: (executor, { endpointId, search, state, type }) => ({
    from: sql`event_deliveries`,
    where: [sql`event_deliveries.endpoint_id = ${endpointId}`],
    id: sql.ref('event_deliveries.id'),
    filter: {
      columns: sql`event_deliveries.state as state, event_deliveries.type as type, event_deliveries.event_id as event_id`,
      conditions: [
        state && sql`scanned.state = ${state}`,
        type && sql`scanned.type = ${type}`,
        search && lowerBeginsWith(executor, sql`scanned.event_id`, search),
      ],
    },
  }),
  findRows: (executor, ids) => executor.selectFrom('event_deliveries').selectAll().where('id', 'in', ids).execute(),
  toItem: toDelivery,
};

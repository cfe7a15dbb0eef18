/** The list of deliveries to a webhook endpoint. */
import { expressionBuilder } from 'kysely';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import type { Delivery, deliveriesQuery } from '../../shared/api/admin/webhooks.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { listRows, lowerBeginsWith } from '../database/list-page.ts';
import type { Tables } from '../database/tables.ts';
import type { DeliveryRow } from './delivery.repository.ts';
import { toDelivery } from './webhook.service.ts';

type DeliveryQuery = ListFilter<typeof deliveriesQuery> & { readonly endpointId: string };

const eb = expressionBuilder<Tables, 'event_deliveries'>();

/** Newest first. */
export const deliveryList: ListDefinition<DeliveryQuery, DeliveryRow, Delivery> = {
  source: (executor, { endpointId, search, state, type }) =>
    listRows({
      rows: executor.selectFrom('event_deliveries').where('endpoint_id', '=', endpointId),
      id: 'event_deliveries.id',
      filter: [
        state && eb('state', '=', state),
        type && eb('type', '=', type),
        search && lowerBeginsWith(executor, eb.ref('event_id'), search),
      ],
    }),
  findRows: (executor, ids) => executor.selectFrom('event_deliveries').selectAll().where('id', 'in', ids).execute(),
  toItem: toDelivery,
};

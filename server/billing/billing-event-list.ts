/** The events of billing providers as a list. */
import { expressionBuilder, sql } from 'kysely';
import type { BillingEventRecord, billingEventsQuery } from '../../shared/api/admin/billing.ts';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { listRows, lowerBeginsWith } from '../database/list-page.ts';
import type { Tables } from '../database/tables.ts';
import type { BillingEventRow } from './billing.repository.ts';
import { toRecord } from './billing.service.ts';

type BillingEventQuery = ListFilter<typeof billingEventsQuery>;

const eb = expressionBuilder<Tables, 'billing_events'>();

/** Newest first. */
export const billingEventList: ListDefinition<BillingEventQuery, BillingEventRow, BillingEventRecord> = {
  source: (executor, { search, state, provider }) => {
    const events = executor.selectFrom('billing_events');
    const isDeadLetter = state === 'dead_letter';
    return listRows({
      // Dead letters have their own index, whose condition is a literal.
      rows: isDeadLetter ? events.where('state', '=', sql.lit(state)) : events,
      id: 'billing_events.id',
      filter: [
        state && !isDeadLetter ? eb('state', '=', state) : undefined,
        provider && eb('provider', '=', provider),
        search && lowerBeginsWith(executor, eb.ref('email'), search),
      ],
    });
  },
  findRows: (executor, ids) => executor.selectFrom('billing_events').selectAll().where('id', 'in', ids).execute(),
  toItem: toRecord,
};

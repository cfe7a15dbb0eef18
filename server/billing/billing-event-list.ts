/** The events of billing providers as a list. */
import { sql } from 'kysely';
import type { BillingEventRecord, billingEventsQuery } from '../../shared/api/admin/billing.ts';
import type { ListFilter } from '../../shared/api/admin/fields.ts';
import type { ListDefinition } from '../database/database-list.ts';
import { lowerBeginsWith } from '../database/list-page.ts';
import type { BillingEventRow } from './billing.repository.ts';
import { toRecord } from './billing.service.ts';

type BillingEventQuery = ListFilter<typeof billingEventsQuery>;

/** Newest first. */
export const billingEventList: ListDefinition<BillingEventQuery, BillingEventRow, BillingEventRecord> = {
  source: (executor, { search, state, provider }) => ({
    from: sql`billing_events`,
    // Dead letters have their own index.
    where: [state === 'dead_letter' ? sql`billing_events.state = 'dead_letter'` : undefined],
    id: sql.ref('billing_events.id'),
    filter: {
      columns: sql`billing_events.state as state, billing_events.provider as provider, billing_events.email as email`,
      conditions: [
        state && state !== 'dead_letter' ? sql`scanned.state = ${state}` : undefined,
        provider && sql`scanned.provider = ${provider}`,
        search && lowerBeginsWith(executor, sql`scanned.email`, search),
      ],
    },
  }),
  findRows: (executor, ids) => executor.selectFrom('billing_events').selectAll().where('id', 'in', ids).execute(),
  toItem: toRecord,
};

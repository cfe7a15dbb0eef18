/** Past and pending deliveries to an endpoint, with search, filters and pages. */
import { SearchX } from 'lucide-react';
import type { Delivery } from '../../../../shared/api/admin/webhooks.ts';
import type { AdminQueryOf } from '../../../../shared/api/admin-endpoints.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { EmptyState, Skeleton } from '../../../components/Placeholders.tsx';
import { urlOf } from '../../api/admin-calls.ts';
import { useMessages } from '../../i18n/messages.ts';
import { ReadFailure } from '../../records/ReadFailure.tsx';
import { RecordSection } from '../../records/RecordSection.tsx';
import { changeParams, type Params, useAddress } from '../../routing.ts';
import { ColumnChoice } from '../../table/ColumnChoice.tsx';
import { useShownColumns } from '../../table/ListTable.tsx';
import { CsvLink, FilterSelect } from '../../table/ListToolbar.tsx';
import { SearchField } from '../../table/SearchField.tsx';
import { StepPager } from '../../table/StepPager.tsx';
import { type ListPage, useList } from '../../table/use-list.ts';
import { useSteps } from '../../table/use-steps.ts';
import { DeliveryItem } from './DeliveryItem.tsx';
import { type DeliveryColumn, deliveryParams, useDeliveryColumns, useDeliveryFilters } from './delivery-columns.ts';

type DeliveriesProps = {
  readonly endpointId: string;
  readonly isEnabled: boolean;
};

const rowsOfPage = '20';
const soonMs = 60_000;

export function Deliveries({ endpointId, isEnabled }: DeliveriesProps) {
  const { t } = useMessages();
  const steps = useSteps();
  const query = useDeliveryQuery();
  const list = useList(
    'webhookDeliveries',
    { limit: rowsOfPage, ...query, ...(steps.after !== null && { after: steps.after }) },
    { params: { id: endpointId }, isChanging: ({ rows }) => rows.some(isDueSoon) },
  );
  const { page, failure } = list;
  const narrow = (changes: Params, options?: { readonly replace: boolean }) => {
    steps.goToStart();
    changeParams(changes, options);
  };
  const isNarrowed = Object.keys(query).length > 0;
  return (
    <RecordSection title={t('webhooks.deliveries')}>
      <DeliveryToolbar endpointId={endpointId} query={query} narrow={narrow} />
      {failure !== null && <ReadFailure failure={failure} />}
      {page === null && failure === null && <Skeleton lines={5} />}
      {page?.rows.length === 0 && !isNarrowed && <p className="hint">{t('webhooks.noDeliveries')}</p>}
      {page?.rows.length === 0 && isNarrowed && (
        <EmptyState icon={SearchX} title={t('list.noneFound')} hint={t('list.noneFoundHint')}>
          <ActionButton onPress={() => narrow(noDeliveryParams)}>{t('list.clear')}</ActionButton>
        </EmptyState>
      )}
      {page !== null && page.rows.length > 0 && <DeliveryList page={page} isOld={list.isOld} isEnabled={isEnabled} />}
      {page !== null && <StepPager steps={steps} next={page.next} />}
    </RecordSection>
  );
}

/** Filters of the list, from the address. */
type DeliveryQuery = Readonly<Record<string, string>>;

function useDeliveryQuery(): DeliveryQuery {
  const { params } = useAddress();
  return Object.fromEntries(
    deliveryParams.flatMap((param) => {
      const value = params.get(param) ?? '';
      return value === '' ? [] : [[param === 'event' ? 'search' : param, value]];
    }),
  );
}

/** Parameters that clear the delivery filters in the address. */
export const noDeliveryParams: Params = Object.fromEntries(deliveryParams.map((param) => [param, '']));

type DeliveryToolbarProps = {
  readonly endpointId: string;
  readonly query: DeliveryQuery;
  readonly narrow: (changes: Params, options?: { readonly replace: boolean }) => void;
};

function DeliveryToolbar({ endpointId, query, narrow }: DeliveryToolbarProps) {
  const { t } = useMessages();
  const csv = urlOf('webhookDeliveries', {
    params: { id: endpointId },
    query: { ...query, format: 'csv' } as AdminQueryOf<'webhookDeliveries'>,
  });
  return (
    <div className="toolbar">
      <SearchField
        label={t('billing.eventId')}
        hint={t('billing.eventId')}
        value={query.search ?? ''}
        onSearch={(event) => narrow({ event }, { replace: true })}
      />
      {useDeliveryFilters().map((filter) => (
        <FilterSelect
          key={filter.param}
          filter={filter}
          value={query[filter.param] ?? ''}
          onChange={(value) => narrow({ [filter.param]: value })}
        />
      ))}
      <div className="toolbar-end">
        <ColumnChoice name="webhookDeliveries" columns={useDeliveryColumns()} />
        <CsvLink name="webhookDeliveries" href={csv} />
      </div>
    </div>
  );
}

type DeliveryListProps = {
  readonly page: ListPage<'webhookDeliveries'>;
  readonly isOld: boolean;
  readonly isEnabled: boolean;
};

function DeliveryList({ page, isOld, isEnabled }: DeliveryListProps) {
  const { t } = useMessages();
  const shown = useShownColumns('webhookDeliveries', useDeliveryColumns()) as Readonly<Record<DeliveryColumn, boolean>>;
  return (
    <ul className="record-list" aria-label={t('webhooks.deliveries')} aria-busy={isOld}>
      {page.rows.map((delivery) => (
        <DeliveryItem key={delivery.id} delivery={delivery} isEnabled={isEnabled} shown={shown} />
      ))}
    </ul>
  );
}

function isDueSoon({ state, next_attempt_at }: Delivery): boolean {
  return state === 'pending' && next_attempt_at !== null && Date.parse(next_attempt_at) < Date.now() + soonMs;
}

/** The list of billing provider events, with outcome and account. */
import { CreditCard } from 'lucide-react';
import { useMemo } from 'react';
import type { BillingEventRecord } from '../../../../shared/api/admin/billing.ts';
import { RelativeTime } from '../../../components/Times.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { BillingEventStatus } from '../../records/StatusBadge.tsx';
import type { ListColumn, ListFilter } from '../../table/columns.ts';
import { ListScreen } from '../../table/ListScreen.tsx';
import { OpenRow } from '../../table/OpenRow.tsx';
import { BillingEvent } from './BillingEvent.tsx';
import { providerNames } from './provider-names.ts';
import { WebhookTabs } from './WebhookTabs.tsx';

export function BillingEvents() {
  const { t } = useMessages();
  return (
    <ListScreen
      name="billingEvents"
      title={t('navigation.billingEvents')}
      intro={t('billing.intro')}
      searchHint={t('billing.searchHint')}
      columns={useEventColumns()}
      filters={useEventFilters()}
      idOf={({ id }) => id}
      empty={{ icon: CreditCard, title: t('billing.empty'), hint: t('billing.emptyHint') }}
      renderRecord={(id) => (
        <OpenRow list="billingEvents" isOpen={(event) => event.id === id}>
          {(event) => <BillingEvent event={event} />}
        </OpenRow>
      )}
      tabs={<WebhookTabs />}
    />
  );
}

function useEventColumns(): readonly ListColumn<BillingEventRecord>[] {
  const { t } = useMessages();
  return useMemo(
    () => [
      {
        id: 'event',
        label: t('billing.customer'),
        cell: ({ email, type }) => (
          <>
            <span className="row-title">{email ?? t('billing.unknownCustomer')}</span>
            <span className="row-more mono">{type}</span>
          </>
        ),
      },
      { id: 'state', label: t('field.status'), cell: ({ state }) => <BillingEventStatus state={state} /> },
      { id: 'at', label: t('billing.happened'), cell: ({ event_at }) => <RelativeTime at={event_at} /> },
      {
        id: 'provider',
        label: t('billing.provider'),
        isMinor: true,
        cell: ({ provider }) => providerNames[provider],
      },
      {
        id: 'reason',
        label: t('billing.reason'),
        isMinor: true,
        cell: ({ reason }) => reason ?? <span aria-hidden>–</span>,
      },
      {
        id: 'received',
        label: t('billing.received'),
        isOptional: true,
        cell: ({ received_at }) => <RelativeTime at={received_at} />,
      },
      {
        id: 'event_id',
        label: t('billing.eventId'),
        isOptional: true,
        cell: ({ event_id }) => <span className="mono wrap-anywhere">{event_id}</span>,
      },
    ],
    [t],
  );
}

const states = ['dead_letter', 'applied', 'outdated', 'ignored'] as const;
const providers = ['webhook', 'stripe', 'lemonsqueezy'] as const;

function useEventFilters(): readonly ListFilter[] {
  const { t } = useMessages();
  return [
    { param: 'state', label: t('field.status'), options: states.map((id) => ({ id, name: t(`billing.state.${id}`) })) },
    {
      param: 'provider',
      label: t('billing.provider'),
      options: providers.map((id) => ({ id, name: providerNames[id] })),
    },
  ];
}

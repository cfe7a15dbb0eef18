/** Columns and filters of the delivery list. */
import { useMessages } from '../../i18n/messages.ts';
import type { ChosenColumn } from '../../table/ColumnChoice.tsx';
import type { ListFilter } from '../../table/columns.ts';
import { eventKeys, eventTypes } from './event-names.ts';

export type DeliveryColumn = 'event' | 'account' | 'attempts' | 'last' | 'next' | 'response' | 'created' | 'eventId';

export function useDeliveryColumns(): readonly (ChosenColumn & { readonly id: DeliveryColumn })[] {
  const { t } = useMessages();
  return [
    { id: 'event', label: t('webhooks.eventType') },
    { id: 'account', label: t('field.owner') },
    { id: 'attempts', label: t('webhooks.attemptCount') },
    { id: 'last', label: t('webhooks.lastAttemptTime') },
    { id: 'next', label: t('webhooks.nextAttemptTime') },
    { id: 'response', label: t('webhooks.outcome') },
    { id: 'created', label: t('field.created'), isOptional: true },
    { id: 'eventId', label: t('billing.eventId'), isOptional: true },
  ];
}

const states = ['pending', 'delivered', 'failed'] as const;

export function useDeliveryFilters(): readonly ListFilter[] {
  const { t } = useMessages();
  return [
    { param: 'state', label: t('field.status'), options: states.map((id) => ({ id, name: t(`webhooks.${id}`) })) },
    {
      param: 'type',
      label: t('webhooks.eventType'),
      options: eventTypes.map((id) => ({ id, name: t(`webhooks.event.${eventKeys[id]}`) })),
    },
  ];
}

/** URL parameters that filter the deliveries. `search` belongs to the endpoint list. */
export const deliveryParams = ['event', 'state', 'type'] as const;

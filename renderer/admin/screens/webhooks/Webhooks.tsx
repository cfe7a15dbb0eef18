/** The webhooks screen: the endpoints that receive events. */
import { Plus, Webhook } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { AddedWebhook, WebhookEndpoint } from '../../../../shared/api/admin/webhooks.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { NewSecretDialog } from '../../../components/NewSecretDialog.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { EndpointStatus } from '../../records/StatusBadge.tsx';
import { useMay } from '../../session/session-store.ts';
import type { ListColumn, ListFilter } from '../../table/columns.ts';
import { ListScreen } from '../../table/ListScreen.tsx';
import { AddWebhookDialog } from './AddWebhookDialog.tsx';
import { deliveryParams } from './delivery-columns.ts';
import { eventKeys, eventTypes, hostOf } from './event-names.ts';
import { WebhookRecord } from './WebhookRecord.tsx';
import { WebhookTabs } from './WebhookTabs.tsx';

export function Webhooks() {
  const { t } = useMessages();
  const mayAdd = useMay('addWebhook');
  const [adding, setAdding] = useState(false);
  const [added, setAdded] = useState<AddedWebhook | null>(null);
  const columns = useEndpointColumns();
  const filters = useEndpointFilters();
  const add = (
    <ActionButton variant="primary" icon={Plus} onPress={() => setAdding(true)}>
      {t('webhooks.add')}
    </ActionButton>
  );
  return (
    <>
      <ListScreen
        name="webhooks"
        title={t('navigation.webhooks')}
        intro={t('webhooks.intro')}
        searchHint={t('webhooks.searchHint')}
        toSearch={withoutPath}
        columns={columns}
        filters={filters}
        idOf={idOf}
        actions={mayAdd && add}
        empty={{ icon: Webhook, title: t('webhooks.empty'), hint: t('webhooks.emptyHint') }}
        renderRecord={(id) => <WebhookRecord id={id} />}
        recordParams={deliveryParams}
        tabs={<WebhookTabs />}
      />
      {adding && <AddWebhookDialog onAdded={setAdded} onClose={() => setAdding(false)} />}
      {added !== null && (
        <NewSecretDialog
          title={t('webhooks.added')}
          text={t(added.is_blocked ? 'webhooks.addedBlocked' : 'webhooks.addedText', { url: added.url })}
          label={t('webhooks.secret')}
          secret={added.secret}
          once={t('webhooks.once')}
          onSaved={() => setAdded(null)}
        />
      )}
    </>
  );
}

/** Removes the path, which may be the receiver's secret, because a search becomes part of the URL. */
function withoutPath(typed: string): string {
  return typed.includes('://') ? hostOf(typed) : typed;
}

function idOf({ id }: WebhookEndpoint): string {
  return id;
}

function useEndpointColumns(): readonly ListColumn<WebhookEndpoint>[] {
  const { t } = useMessages();
  return useMemo(
    () => [
      {
        id: 'url',
        label: t('webhooks.url'),
        cell: ({ url, events }) => (
          <>
            <span className="row-title">{url}</span>
            <span className="row-more">
              {events.length === eventTypes.length
                ? t('webhooks.allEvents')
                : events.map((type) => t(`webhooks.event.${eventKeys[type]}`)).join(', ')}
            </span>
          </>
        ),
      },
      {
        id: 'status',
        label: t('field.status'),
        cell: ({ disabled_at }) => <EndpointStatus isEnabled={disabled_at === null} />,
      },
      { id: 'waiting', label: t('webhooks.waiting'), isNumber: true, cell: ({ waiting }) => waiting },
      {
        id: 'created',
        label: t('field.created'),
        isMinor: true,
        cell: ({ created_at }) => <Day at={created_at} />,
      },
    ],
    [t],
  );
}

function useEndpointFilters(): readonly ListFilter[] {
  const { t } = useMessages();
  const options = (['enabled', 'disabled'] as const).map((id) => ({ id, name: t(`webhooks.${id}`) }));
  return [{ param: 'status', label: t('field.status'), options }];
}

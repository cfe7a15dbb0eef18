/** The webhooks screen: the endpoints that events are sent to, and the events of billing providers that were kept. */
import { Plus, Webhook } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { AddedWebhook, WebhookEndpoint } from '../../../../shared/api/admin/webhooks.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { Page } from '../../../components/Page.tsx';
import { EmptyState, Skeleton } from '../../../components/Placeholders.tsx';
import { failureOf, useRead } from '../../api/queries.ts';
import { NewSecretDialog } from '../../forms/NewSecretDialog.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { EndpointStatus } from '../../records/StatusBadge.tsx';
import { changeParams, hrefOf, useAddress } from '../../routing.ts';
import { useMay } from '../../session/session-store.ts';
import type { ListColumn } from '../../table/columns.ts';
import { ListTable } from '../../table/ListTable.tsx';
import { RecordPanel } from '../../table/RecordPanel.tsx';
import { AddWebhookDialog } from './AddWebhookDialog.tsx';
import { eventKeys, eventTypes } from './event-names.ts';
import { KeptBillingEvents } from './KeptBillingEvents.tsx';
import { WebhookRecord } from './WebhookRecord.tsx';

export function Webhooks() {
  const { t } = useMessages();
  const mayAdd = useMay('addWebhook');
  const { params } = useAddress();
  const [adding, setAdding] = useState(false);
  const [added, setAdded] = useState<AddedWebhook | null>(null);
  const openId = params.get('open');
  const add = (
    <ActionButton variant="primary" icon={Plus} onPress={() => setAdding(true)}>
      {t('webhooks.add')}
    </ActionButton>
  );
  return (
    <div className={openId === null ? 'list-layout' : 'list-layout list-layout-open'}>
      <div className="list-main">
        <Page title={t('navigation.webhooks')} intro={t('webhooks.intro')} aside={mayAdd && add}>
          <Endpoints openId={openId} />
          <KeptBillingEvents />
        </Page>
      </div>
      {openId !== null && (
        <RecordPanel key={openId} id={openId} onClose={() => changeParams({ open: '', state: '' })}>
          <WebhookRecord id={openId} />
        </RecordPanel>
      )}
      {adding && <AddWebhookDialog onAdded={setAdded} onClose={() => setAdding(false)} />}
      {added !== null && (
        <NewSecretDialog
          title={t('webhooks.added')}
          text={t('webhooks.addedText', { url: added.url })}
          label={t('webhooks.secret')}
          secret={added.secret}
          once={t('webhooks.once')}
          onSaved={() => setAdded(null)}
        />
      )}
    </div>
  );
}

function Endpoints({ openId }: { readonly openId: string | null }) {
  const { t } = useMessages();
  const result = useRead('webhooks');
  const columns = useEndpointColumns();
  const failure = failureOf(result);
  if (failure !== null) {
    const retry = <ActionButton onPress={() => void result.refetch()}>{t('common.retry')}</ActionButton>;
    return <FailureAlert failure={failure} actions={retry} />;
  }
  if (result.data === undefined) return <Skeleton lines={4} />;
  const { webhooks } = result.data;
  if (webhooks.length === 0) {
    return <EmptyState icon={Webhook} title={t('webhooks.empty')} hint={t('webhooks.emptyHint')} />;
  }
  return (
    <ListTable
      name="webhooks"
      label={t('webhooks.endpoints')}
      rows={webhooks}
      columns={columns}
      idOf={idOf}
      hrefTo={({ id }) => hrefOf('webhooks', { open: id })}
      openId={openId}
      isOld={false}
    />
  );
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

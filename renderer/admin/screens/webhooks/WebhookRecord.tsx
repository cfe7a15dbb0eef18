/** An endpoint: its events, status and deliveries, and Remove. */
import { CircleHelp, Trash2 } from 'lucide-react';
import type { WebhookEndpoint } from '../../../../shared/api/admin/webhooks.ts';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { EmptyState } from '../../../components/Placeholders.tsx';
import { useRead } from '../../api/queries.ts';
import { DialogButton } from '../../forms/DialogButton.tsx';
import { TypedConfirmDialog } from '../../forms/TypedConfirmDialog.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { RecordActions, RecordHeading, RecordSection } from '../../records/RecordSection.tsx';
import { EndpointStatus } from '../../records/StatusBadge.tsx';
import { changeParams } from '../../routing.ts';
import { useMay } from '../../session/session-store.ts';
import { RecordContent } from '../../table/RecordPanel.tsx';
import { Deliveries, noDeliveryParams } from './Deliveries.tsx';
import { eventKeys, eventTypes, hostOf } from './event-names.ts';

export function WebhookRecord({ id }: { readonly id: string }) {
  const { t } = useMessages();
  return (
    <RecordContent result={useRead('webhooks')}>
      {({ webhooks }) => {
        const endpoint = webhooks.find((webhook) => webhook.id === id);
        if (endpoint !== undefined) return <OpenEndpoint endpoint={endpoint} />;
        return <EmptyState icon={CircleHelp} title={t('list.gone')} hint={t('list.goneHint')} />;
      }}
    </RecordContent>
  );
}

type EndpointProps = { readonly endpoint: WebhookEndpoint };

function OpenEndpoint({ endpoint }: EndpointProps) {
  const { t } = useMessages();
  const mayRemove = useMay('removeWebhook');
  const isEnabled = endpoint.disabled_at === null;
  return (
    <>
      <RecordHeading title={endpoint.url}>
        <EndpointStatus isEnabled={isEnabled} />
      </RecordHeading>
      <RecordActions>
        {mayRemove && (
          <DialogButton
            icon={Trash2}
            label={t('webhooks.remove')}
            dialog={(close) => <RemoveDialog endpoint={endpoint} onClose={close} />}
          />
        )}
      </RecordActions>
      <RecordSection title={t('list.details')}>
        <EndpointFacts endpoint={endpoint} />
      </RecordSection>
      <Deliveries endpointId={endpoint.id} isEnabled={isEnabled} />
    </>
  );
}

function EndpointFacts({ endpoint }: EndpointProps) {
  const { t } = useMessages();
  const { events } = endpoint;
  return (
    <Facts>
      <Fact name={t('webhooks.events')}>
        {events.length === eventTypes.length
          ? t('webhooks.allEvents')
          : events.map((type) => t(`webhooks.event.${eventKeys[type]}`)).join(', ')}
      </Fact>
      {endpoint.disabled_at !== null && (
        <Fact name={t('webhooks.disabledAt')}>
          <Day at={endpoint.disabled_at} />
        </Fact>
      )}
      {endpoint.disabled_reason !== null && <Fact name={t('webhooks.disabledReason')}>{endpoint.disabled_reason}</Fact>}
      <Fact name={t('webhooks.waiting')}>{endpoint.waiting}</Fact>
      <Fact name={t('field.created')}>
        <Day at={endpoint.created_at} />
      </Fact>
      <Fact name={t('field.id')}>
        <span className="mono">{endpoint.id}</span>
      </Fact>
    </Facts>
  );
}

function RemoveDialog({ endpoint, onClose }: EndpointProps & { readonly onClose: () => void }) {
  const { t } = useMessages();
  const host = hostOf(endpoint.url);
  const { dialog } = useDialogChange('removeWebhook', {
    request: () => ({ params: { id: endpoint.id } }),
    success: t('webhooks.removed', { host }),
    onSuccess: () => {
      onClose();
      changeParams({ open: '', ...noDeliveryParams }, { replace: true });
    },
    onClose,
  });
  return (
    <TypedConfirmDialog
      {...dialog}
      title={t('webhooks.removeTitle', { host })}
      text={
        <>
          <p className="wrap-anywhere">{t('webhooks.removeText', { url: endpoint.url })}</p>
          {endpoint.waiting > 0 && <p>{t('webhooks.removeWaiting', { count: endpoint.waiting })}</p>}
        </>
      }
      name={host}
      confirmLabel={t('webhooks.remove')}
    />
  );
}

/** A billing provider event: its outcome and the reason, with Retry and Dismiss for a dead letter. */
import { RotateCw, Trash2 } from 'lucide-react';
import type { BillingEventRecord } from '../../../../shared/api/admin/billing.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { showToast } from '../../../components/toast-store.ts';
import { exactTime } from '../../../i18n/format.ts';
import { useChange } from '../../api/use-change.ts';
import { DialogButton } from '../../forms/DialogButton.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { RecordActions, RecordHeading, RecordSection } from '../../records/RecordSection.tsx';
import { BillingEventStatus } from '../../records/StatusBadge.tsx';
import { hrefOf } from '../../routing.ts';
import { useMay } from '../../session/session-store.ts';
import { DismissEventDialog } from './DismissEventDialog.tsx';
import { providerNames } from './provider-names.ts';

type EventProps = { readonly event: BillingEventRecord };

export function BillingEvent({ event }: EventProps) {
  const { t, locale } = useMessages();
  return (
    <>
      <RecordHeading title={event.email ?? t('billing.unknownCustomer')}>
        <BillingEventStatus state={event.state} />
      </RecordHeading>
      {event.reason !== null && <p className="wrap-anywhere">{event.reason}</p>}
      {event.state === 'dead_letter' && <DeadLetterActions event={event} />}
      <RecordSection title={t('list.details')}>
        <Facts>
          {event.email !== null && (
            <Fact name={t('field.owner')}>
              <a className="link wrap-anywhere" href={hrefOf('accounts', { search: event.email })}>
                {event.email}
              </a>
            </Fact>
          )}
          <Fact name={t('billing.provider')}>{providerNames[event.provider]}</Fact>
          <Fact name={t('billing.type')}>
            <span className="mono">{event.type}</span>
          </Fact>
          <Fact name={t('billing.happened')}>{exactTime(event.event_at, locale)}</Fact>
          <Fact name={t('billing.received')}>{exactTime(event.received_at, locale)}</Fact>
          <Fact name={t('billing.eventId')}>
            <span className="mono">{event.event_id}</span>
          </Fact>
        </Facts>
      </RecordSection>
      {event.payload !== null && (
        <RecordSection title={t('billing.payload')}>
          <pre className="payload mono">{JSON.stringify(event.payload, null, 2)}</pre>
        </RecordSection>
      )}
    </>
  );
}

function DeadLetterActions({ event }: EventProps) {
  const { t } = useMessages();
  const mayRetry = useMay('retryBillingEvent');
  const mayDismiss = useMay('dismissBillingEvent');
  const change = useChange();
  const retry = async () => {
    const result = await change.run('retryBillingEvent', { params: { id: event.id } });
    if (result === null) return;
    const isKept = result.value.state === 'dead_letter';
    showToast(isKept ? t('billing.stillKept') : t('billing.applied'), isKept ? 'blocked' : 'good');
  };
  return (
    <>
      {mayRetry && <p className="hint">{t('billing.keptHint')}</p>}
      <RecordActions>
        {mayRetry && (
          <ActionButton icon={RotateCw} pending={change.pending} onPress={() => void retry()}>
            {t('billing.retry')}
          </ActionButton>
        )}
        {mayDismiss && (
          <DialogButton
            icon={Trash2}
            label={t('billing.dismiss')}
            dialog={(close) => <DismissEventDialog event={event} onClose={close} />}
          />
        )}
      </RecordActions>
      {change.failure !== null && <FailureAlert failure={change.failure} />}
    </>
  );
}

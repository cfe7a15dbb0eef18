/** The events of billing providers that could not be applied: why, for whom, and Retry. */
import type { BillingEventRecord } from '../../../../shared/api/admin/billing.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { Panel } from '../../../components/Page.tsx';
import { Skeleton } from '../../../components/Placeholders.tsx';
import { TimedText } from '../../../components/Times.tsx';
import { showToast } from '../../../components/toast-store.ts';
import { urlOf } from '../../api/admin-calls.ts';
import { useChange } from '../../api/use-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { useMay } from '../../session/session-store.ts';
import { CsvLink } from '../../table/ListToolbar.tsx';
import { StepPager } from '../../table/StepPager.tsx';
import { useList } from '../../table/use-list.ts';
import { useSteps } from '../../table/use-steps.ts';

const rowsOfPage = '20';

const csv = { query: { state: 'kept', format: 'csv' } } as const;

export function KeptBillingEvents() {
  const { t } = useMessages();
  const steps = useSteps();
  const query = { state: 'kept', limit: rowsOfPage, ...(steps.after !== null && { after: steps.after }) };
  const { page, failure, isOld, reload } = useList('billingEvents', query);
  return (
    <Panel
      title={t('billing.kept')}
      aside={
        page !== null && page.rows.length > 0 && <CsvLink name="billingEvents" href={urlOf('billingEvents', csv)} />
      }
    >
      {failure !== null && (
        <FailureAlert failure={failure} actions={<ActionButton onPress={reload}>{t('common.retry')}</ActionButton>} />
      )}
      {page === null && failure === null && <Skeleton lines={3} />}
      {page?.rows.length === 0 && <p className="hint">{t('billing.none')}</p>}
      {page !== null && page.rows.length > 0 && (
        <>
          <p className="panel-intro">{t('billing.keptHint')}</p>
          <ul className="record-list" aria-label={t('billing.kept')} aria-busy={isOld}>
            {page.rows.map((event) => (
              <KeptEvent key={event.id} event={event} />
            ))}
          </ul>
        </>
      )}
      {page !== null && <StepPager steps={steps} next={page.next} />}
    </Panel>
  );
}

const providerNames: Readonly<Record<BillingEventRecord['provider'], string>> = {
  webhook: 'Standard Webhooks',
  stripe: 'Stripe',
  lemonsqueezy: 'Lemon Squeezy',
};

function KeptEvent({ event }: { readonly event: BillingEventRecord }) {
  const { t } = useMessages();
  const mayRetry = useMay('retryBillingEvent');
  const change = useChange();
  const retry = async () => {
    const result = await change.run('retryBillingEvent', { params: { id: event.id } });
    if (result === null) return;
    const isKept = result.value.state === 'kept';
    showToast(isKept ? t('billing.stillKept') : t('billing.applied'), isKept ? 'blocked' : 'good');
  };
  return (
    <li className="record-item">
      <div className="record-item-text">
        <p className="wrap-anywhere">{event.email ?? t('billing.unknownCustomer')}</p>{' '}
        <p className="hint wrap-anywhere">
          {providerNames[event.provider]} · <span className="mono">{event.type}</span> ·{' '}
          <TimedText text={t('billing.happened')} at={event.event_at} />
        </p>
        {event.reason !== null && <p className="wrap-anywhere">{event.reason}</p>}
        {event.payload !== null && (
          <details className="fold">
            <summary>{t('billing.payload')}</summary>
            <pre className="payload mono">{JSON.stringify(event.payload, null, 2)}</pre>
          </details>
        )}
        {change.failure !== null && <FailureAlert failure={change.failure} />}
      </div>{' '}
      {mayRetry && (
        <ActionButton pending={change.pending} onPress={() => void retry()}>
          {t('billing.retry')}
        </ActionButton>
      )}
    </li>
  );
}

/** What was, or will be, delivered to an endpoint, each with Replay. */
import type { Delivery } from '../../../../shared/api/admin/webhooks.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { Skeleton } from '../../../components/Placeholders.tsx';
import { TimedText } from '../../../components/Times.tsx';
import { exactTime } from '../../../i18n/format.ts';
import { urlOf } from '../../api/admin-calls.ts';
import { useChange } from '../../api/use-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { RecordSection } from '../../records/RecordSection.tsx';
import { DeliveryStatus } from '../../records/StatusBadge.tsx';
import { changeParams, useAddress } from '../../routing.ts';
import { useMay } from '../../session/session-store.ts';
import { CsvLink, FilterSelect } from '../../table/ListToolbar.tsx';
import { StepPager } from '../../table/StepPager.tsx';
import { useList } from '../../table/use-list.ts';
import { useSteps } from '../../table/use-steps.ts';

type DeliveriesProps = {
  readonly endpointId: string;
  /** Nothing can be sent to one that is disabled. */
  readonly isEnabled: boolean;
};

const states = ['pending', 'delivered', 'failed'] as const;
const rowsOfPage = '20';
const soonMs = 60_000;

export function Deliveries({ endpointId, isEnabled }: DeliveriesProps) {
  const { t } = useMessages();
  const { params } = useAddress();
  const state = params.get('state') ?? '';
  const steps = useSteps();
  const { page, failure, isOld, reload } = useList(
    'webhookDeliveries',
    { limit: rowsOfPage, ...(state !== '' && { state }), ...(steps.after !== null && { after: steps.after }) },
    { params: { id: endpointId }, isChanging: ({ rows }) => rows.some(isDueSoon) },
  );
  const changeState = (value: string) => {
    steps.goToStart();
    changeParams({ state: value });
  };
  const csv = urlOf('webhookDeliveries', {
    params: { id: endpointId },
    query: { format: 'csv', ...(state !== '' && { state: state as Delivery['state'] }) },
  });
  const options = states.map((id) => ({ id, name: t(`webhooks.${id}`) }));
  const filter = { param: 'state', label: t('field.status'), options };
  return (
    <RecordSection
      title={t('webhooks.deliveries')}
      aside={
        <div className="toolbar-end">
          <FilterSelect filter={filter} value={state} onChange={changeState} />
          <CsvLink name="webhookDeliveries" href={csv} />
        </div>
      }
    >
      {failure !== null && (
        <FailureAlert failure={failure} actions={<ActionButton onPress={reload}>{t('common.retry')}</ActionButton>} />
      )}
      {page === null && failure === null && <Skeleton lines={5} />}
      {page?.rows.length === 0 && (
        <p className="hint">{state === '' ? t('webhooks.noDeliveries') : t('webhooks.noneOfState')}</p>
      )}
      {page !== null && page.rows.length > 0 && (
        <ul className="record-list" aria-label={t('webhooks.deliveries')} aria-busy={isOld}>
          {page.rows.map((delivery) => (
            <DeliveryItem key={delivery.id} delivery={delivery} isEnabled={isEnabled} />
          ))}
        </ul>
      )}
      {page !== null && <StepPager steps={steps} next={page.next} />}
    </RecordSection>
  );
}

function isDueSoon({ state, next_attempt_at }: Delivery): boolean {
  return state === 'pending' && next_attempt_at !== null && Date.parse(next_attempt_at) < Date.now() + soonMs;
}

type DeliveryItemProps = { readonly delivery: Delivery; readonly isEnabled: boolean };

function DeliveryItem({ delivery, isEnabled }: DeliveryItemProps) {
  const { t } = useMessages();
  const mayReplay = useMay('replayDelivery');
  const change = useChange();
  const replay = () => change.run('replayDelivery', { params: { id: delivery.id } }, t('webhooks.replayed'));
  return (
    <li className="record-item">
      <div className="record-item-text">
        <p className="mono wrap-anywhere">{delivery.type}</p> <DeliveryStatus state={delivery.state} />{' '}
        <DeliveryHistory delivery={delivery} />
        {change.failure !== null && <FailureAlert failure={change.failure} />}
      </div>{' '}
      {mayReplay && isEnabled && (
        <ActionButton pending={change.pending} onPress={() => void replay()}>
          {t('webhooks.replay')}
        </ActionButton>
      )}
    </li>
  );
}

/** How often it was tried, and what came of it. */
function DeliveryHistory({ delivery }: { readonly delivery: Delivery }) {
  const { t, locale } = useMessages();
  const { attempts, last_attempt_at, next_attempt_at, response_status, error } = delivery;
  return (
    <>
      <p className="hint">
        {t('webhooks.attempts', { count: attempts })}
        {last_attempt_at !== null && (
          <>
            {' · '}
            <TimedText text={t('webhooks.lastAttempt')} at={last_attempt_at} />
          </>
        )}
        {next_attempt_at !== null && ` · ${t('webhooks.nextAttempt', { at: exactTime(next_attempt_at, locale) })}`}
      </p>
      {(response_status !== null || error !== null) && (
        <p className="hint wrap-anywhere">
          {response_status !== null && t('webhooks.response', { status: response_status })}
          {response_status !== null && error !== null && ' · '}
          {error}
        </p>
      )}
    </>
  );
}

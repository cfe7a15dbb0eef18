/** A delivery to an endpoint: its event and outcome, and Replay. */
import { Fragment, type ReactNode } from 'react';
import type { Delivery } from '../../../../shared/api/admin/webhooks.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { FailureAlert } from '../../../components/FailureAlert.tsx';
import { TimedText } from '../../../components/Times.tsx';
import { exactTime } from '../../../i18n/format.ts';
import { useChange } from '../../api/use-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { DeliveryStatus } from '../../records/StatusBadge.tsx';
import { hrefOf } from '../../routing.ts';
import { useMay } from '../../session/session-store.ts';
import type { DeliveryColumn } from './delivery-columns.ts';

type DeliveryItemProps = {
  readonly delivery: Delivery;
  /** Whether the endpoint is enabled; nothing can be sent to a disabled one. */
  readonly isEnabled: boolean;
  readonly shown: Readonly<Record<DeliveryColumn, boolean>>;
};

export function DeliveryItem({ delivery, isEnabled, shown }: DeliveryItemProps) {
  const { t } = useMessages();
  const mayReplay = useMay('replayDelivery');
  const change = useChange();
  const replay = () => change.run('replayDelivery', { params: { id: delivery.id } }, t('webhooks.replayed'));
  return (
    <li className="record-item">
      <div className="record-item-text">
        <p className="mono wrap-anywhere">{delivery.type}</p> <DeliveryStatus state={delivery.state} />{' '}
        {shown.account && <DeliveryAccount delivery={delivery} />}
        <DeliveryHistory delivery={delivery} shown={shown} />
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

/** The account that the event is about; nothing for an event that is about none. */
function DeliveryAccount({ delivery: { account_id, email } }: Pick<DeliveryItemProps, 'delivery'>) {
  if (account_id === null || email === null) return null;
  return (
    <p className="hint wrap-anywhere">
      <a className="link" href={hrefOf('accounts', { open: account_id })}>
        {email}
      </a>
    </p>
  );
}

/** The number of attempts and their result. */
function DeliveryHistory({ delivery, shown }: Pick<DeliveryItemProps, 'delivery' | 'shown'>) {
  const { t, locale } = useMessages();
  const { attempts, created_at, event_id, last_attempt_at, next_attempt_at, response_status, error } = delivery;
  return (
    <>
      <HintLine
        parts={[
          shown.created && t('webhooks.createdAt', { at: exactTime(created_at, locale) }),
          shown.attempts && t('webhooks.attempts', { count: attempts }),
          shown.last && last_attempt_at !== null && <TimedText text={t('webhooks.lastAttempt')} at={last_attempt_at} />,
          shown.next &&
            next_attempt_at !== null &&
            t('webhooks.nextAttempt', { at: exactTime(next_attempt_at, locale) }),
        ]}
      />
      <HintLine
        parts={[
          shown.response && response_status !== null && t('webhooks.response', { status: response_status }),
          shown.response && error,
        ]}
      />
      <HintLine parts={[shown.eventId && <span className="mono">{event_id}</span>]} />
    </>
  );
}

/** The given parts in one line; nothing if there are none. */
function HintLine({ parts }: { readonly parts: readonly (ReactNode | false)[] }) {
  const present = parts.filter((part) => part !== false && part !== null);
  if (present.length === 0) return null;
  return (
    <p className="hint wrap-anywhere">
      {present.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no state
        <Fragment key={index}>
          {index > 0 && ' · '}
          {part}
        </Fragment>
      ))}
    </p>
  );
}

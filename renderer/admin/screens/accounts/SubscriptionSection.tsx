/** The subscription of an account, and the dialog that replaces it. */
import { useState } from 'react';
import type { AccountRecordForStaff } from '../../../../shared/api/admin/accounts.ts';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { Field } from '../../../components/Field.tsx';
import { periodEndKind } from '../../../i18n/account-messages.ts';
import { planName } from '../../../i18n/format.ts';
import { useNow } from '../../../use-timers.ts';
import { CheckField } from '../../forms/CheckField.tsx';
import { DialogButton } from '../../forms/DialogButton.tsx';
import { dayOf, endOfDay } from '../../forms/days.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { SelectField } from '../../forms/SelectField.tsx';
import { useDialogChange } from '../../forms/use-dialog-change.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { RecordSection } from '../../records/RecordSection.tsx';
import { SubscriptionStatus } from '../../records/StatusBadge.tsx';
import { usePlanOptions } from '../../records/use-plans.ts';
import { useMay } from '../../session/session-store.ts';

type AccountProps = { readonly account: AccountRecordForStaff };

export function SubscriptionSection({ account }: AccountProps) {
  const { t } = useMessages();
  const now = useNow();
  const mayChange = useMay('setAccountSubscription');
  const { subscription } = account;
  const button = (
    <DialogButton
      label={t('subscription.change')}
      dialog={(close) => <SubscriptionDialog account={account} onClose={close} />}
    />
  );
  return (
    <RecordSection title={t('field.subscription')} aside={mayChange && button}>
      {subscription === null ? (
        <p className="hint">{t('accounts.noSubscription')}</p>
      ) : (
        <Facts>
          <Fact name={t('field.plan')}>{planName(subscription.plan, t)}</Fact>
          <Fact name={t('field.status')}>
            <SubscriptionStatus status={subscription.status} />
          </Fact>
          <Fact name={t(`subscription.${periodEndKind(subscription, now)}`)}>
            <Day at={subscription.current_period_end} />
          </Fact>
        </Facts>
      )}
      {account.other_subscriptions.length > 0 && (
        <>
          <p className="hint">{t('subscription.others')}</p>
          <ul className="record-list" aria-label={t('subscription.others')}>
            {account.other_subscriptions.map((other) => (
              <li key={other.id} className="record-item">
                <div className="record-item-text">
                  <p>
                    {planName(other.plan, t)} <SubscriptionStatus status={other.status} />
                  </p>
                  <p className="hint">
                    {t(`subscription.source.${other.source}`)} ·{' '}
                    {other.is_replaced ? t('subscription.replaced') : t(`subscription.${periodEndKind(other, now)}`)}{' '}
                    {!other.is_replaced && <Day at={other.current_period_end} />}
                  </p>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </RecordSection>
  );
}

const statuses = ['active', 'trialing', 'past_due', 'canceled', 'expired'] as const;
type Status = (typeof statuses)[number];

const thirtyDaysMs = 30 * 24 * 60 * 60 * 1000;

/** Replaces the subscription, and shows how many devices are affected: those on licenses that depend on it. */
function SubscriptionDialog({ account, onClose }: AccountProps & { readonly onClose: () => void }) {
  const { t } = useMessages();
  // What the fields begin with, even if the account is read again while the dialog is open.
  const [subscription] = useState(account.subscription);
  const [plan, setPlan] = useState(subscription?.plan ?? 'standard');
  const [status, setStatus] = useState<Status>(statuses.find((id) => id === subscription?.status) ?? 'active');
  const presentEnd = dayOf(subscription?.current_period_end ?? new Date(Date.now() + thirtyDaysMs).toISOString());
  const [end, setEnd] = useState(presentEnd);
  const [cancels, setCancels] = useState(subscription?.cancel_at_period_end ?? false);
  const chooseEnd = (day: string) => {
    setEnd(day);
    // An expired subscription that is extended must not stay expired.
    if (status === 'expired' && day !== '' && Date.parse(endOfDay(day)) > Date.now()) setStatus('active');
  };
  const { dialog } = useDialogChange('setAccountSubscription', {
    request: () => {
      // Keeps the stored time unless another day was chosen.
      const current_period_end =
        end === presentEnd && subscription !== null ? subscription.current_period_end : endOfDay(end);
      const body = { plan, status, current_period_end, cancel_at_period_end: cancels };
      const expected_updated_at = subscription?.updated_at ?? null;
      return { params: { id: account.id }, body: { ...body, expected_updated_at } };
    },
    success: t('subscription.changed', { email: account.email }),
    onClose,
  });
  return (
    <FormDialog
      {...dialog}
      title={t('subscription.changeTitle', { email: account.email })}
      text={t('subscription.changeText', { count: account.license_totals.devices_with_subscription })}
      submitLabel={t('form.save')}
      disabled={end === ''}
    >
      <SelectField label={t('field.plan')} value={plan} options={usePlanOptions()} onChange={setPlan} />
      <SelectField
        label={t('field.status')}
        value={status}
        options={statuses.map((id) => ({ id, name: t(`subscriptionStatus.${id}`) }))}
        onChange={(id) => setStatus(id as Status)}
      />
      <Field label={t('field.periodEnd')} type="date" value={end} onChange={chooseEnd} />
      <CheckField label={t('subscription.cancels')} checked={cancels} onChange={setCancels} />
    </FormDialog>
  );
}

/** The subscription of an account, and the dialog that replaces it. */
import { useState } from 'react';
import type { AccountRecordForStaff } from '../../../../shared/api/admin/accounts.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { Field } from '../../../components/Field.tsx';
import { periodEndKind } from '../../../i18n/account-messages.ts';
import { planName } from '../../../i18n/format.ts';
import { useNow } from '../../../use-timers.ts';
import { useChange } from '../../api/use-change.ts';
import { CheckField } from '../../forms/CheckField.tsx';
import { dayOf, endOfDay } from '../../forms/days.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { SelectField } from '../../forms/SelectField.tsx';
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
  const [changing, setChanging] = useState(false);
  const { subscription } = account;
  return (
    <RecordSection
      title={t('field.subscription')}
      aside={mayChange && <ActionButton onPress={() => setChanging(true)}>{t('subscription.change')}</ActionButton>}
    >
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
      {changing && <SubscriptionDialog account={account} onClose={() => setChanging(false)} />}
    </RecordSection>
  );
}

const statuses = ['active', 'trialing', 'past_due', 'canceled', 'expired'] as const;
type Status = (typeof statuses)[number];

const thirtyDaysMs = 30 * 24 * 60 * 60 * 1000;

/** Says how many devices feel the change: those on licenses that follow the subscription. */
function SubscriptionDialog({ account, onClose }: AccountProps & { readonly onClose: () => void }) {
  const { t } = useMessages();
  const change = useChange();
  const { subscription } = account;
  const [plan, setPlan] = useState(subscription?.plan ?? 'standard');
  const [status, setStatus] = useState<Status>(statuses.find((id) => id === subscription?.status) ?? 'active');
  const presentEnd = dayOf(subscription?.current_period_end ?? new Date(Date.now() + thirtyDaysMs).toISOString());
  const [end, setEnd] = useState(presentEnd);
  const [cancels, setCancels] = useState(subscription?.cancel_at_period_end ?? false);
  const save = async () => {
    // The moment that was stored stays unless another day was chosen.
    const current_period_end =
      end === presentEnd && subscription !== null ? subscription.current_period_end : endOfDay(end);
    const body = { plan, status, current_period_end, cancel_at_period_end: cancels };
    const options = { params: { id: account.id }, body };
    if (
      (await change.run('setAccountSubscription', options, t('subscription.changed', { email: account.email }))) !==
      null
    )
      onClose();
  };
  return (
    <FormDialog
      title={t('subscription.changeTitle', { email: account.email })}
      text={t('subscription.changeText', { count: account.license_totals.devices_with_subscription })}
      submitLabel={t('form.save')}
      pending={change.pending}
      failure={change.failure}
      disabled={end === ''}
      onSubmit={() => void save()}
      onClose={onClose}
    >
      <SelectField label={t('field.plan')} value={plan} options={usePlanOptions()} onChange={setPlan} />
      <SelectField
        label={t('field.status')}
        value={status}
        options={statuses.map((id) => ({ id, name: t(`subscriptionStatus.${id}`) }))}
        onChange={(id) => setStatus(id as Status)}
      />
      <Field label={t('field.periodEnd')} type="date" value={end} onChange={setEnd} />
      <CheckField label={t('subscription.cancels')} checked={cancels} onChange={setCancels} />
    </FormDialog>
  );
}

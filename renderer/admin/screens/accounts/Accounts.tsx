/** The accounts screen. */
import { MailPlus, UserPlus, UserRound } from 'lucide-react';
import { useMemo } from 'react';
import type { AccountRow } from '../../../../shared/api/admin/accounts.ts';
import { planName } from '../../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { SubscriptionStatus, UnconfirmedAddress } from '../../records/StatusBadge.tsx';
import { usePlanOptions } from '../../records/use-plans.ts';
import type { ListColumn, ListFilter } from '../../table/columns.ts';
import { ListScreen } from '../../table/ListScreen.tsx';
import { NewButton } from '../../table/NewButton.tsx';
import { AccountRecord } from './AccountRecord.tsx';
import { CreateAccountDialog } from './CreateAccountDialog.tsx';
import { InviteAccountDialog } from './InviteAccountDialog.tsx';

export function Accounts() {
  const { t } = useMessages();
  const columns = useAccountColumns();
  const filters = useAccountFilters();
  const create = (
    <>
      <NewButton
        endpoint="inviteAccount"
        name="invitation"
        icon={MailPlus}
        label={t('accounts.invite')}
        dialog={(close) => <InviteAccountDialog onClose={close} />}
      />
      <NewButton
        endpoint="createAccount"
        variant="primary"
        icon={UserPlus}
        label={t('accounts.create')}
        dialog={(close) => <CreateAccountDialog onClose={close} />}
      />
    </>
  );
  return (
    <ListScreen
      name="accounts"
      title={t('navigation.accounts')}
      searchHint={t('accounts.searchHint')}
      columns={columns}
      filters={filters}
      idOf={idOf}
      actions={create}
      empty={{ icon: UserRound, title: t('accounts.empty'), hint: t('accounts.emptyHint') }}
      renderRecord={(id) => <AccountRecord id={id} />}
    />
  );
}

function idOf({ id }: AccountRow): string {
  return id;
}

function useAccountColumns(): readonly ListColumn<AccountRow>[] {
  const { t } = useMessages();
  return useMemo(
    () => [
      {
        id: 'email',
        label: t('credentials.email'),
        cell: (account) => (
          <>
            <span className="row-title">{account.email}</span>
            {account.full_name !== '' && <span className="row-more">{account.full_name}</span>}
            {account.email_confirmation_missing && (
              <span>
                <UnconfirmedAddress account={account} />
              </span>
            )}
          </>
        ),
      },
      { id: 'plan', label: t('field.plan'), cell: ({ plan }) => (plan === null ? <None /> : planName(plan, t)) },
      {
        id: 'status',
        label: t('field.subscription'),
        cell: ({ status }) => (status === null ? <None /> : <SubscriptionStatus status={status} />),
      },
      {
        id: 'periodEnd',
        label: t('field.periodEnd'),
        isMinor: true,
        cell: ({ current_period_end: end }) => (end === null ? <None /> : <Day at={end} />),
      },
      {
        id: 'licenses',
        label: t('navigation.licenses'),
        isNumber: true,
        isMinor: true,
        cell: ({ licenses }) => licenses,
      },
      { id: 'devices', label: t('navigation.devices'), isNumber: true, cell: ({ devices }) => devices },
      { id: 'created', label: t('field.created'), isMinor: true, cell: ({ created_at }) => <Day at={created_at} /> },
      {
        id: 'id',
        label: t('field.id'),
        isMinor: true,
        isOptional: true,
        cell: ({ id }) => <span className="mono">{id}</span>,
      },
    ],
    [t],
  );
}

/** A dash for a value that an account does not have. */
function None() {
  return <span aria-hidden>–</span>;
}

const statuses = ['active', 'trialing', 'past_due', 'canceled', 'expired'] as const;

function useAccountFilters(): readonly ListFilter[] {
  const { t } = useMessages();
  return [
    {
      param: 'status',
      label: t('field.subscription'),
      options: [
        ...statuses.map((id) => ({ id, name: t(`subscriptionStatus.${id}`) })),
        { id: 'none', name: t('accounts.noSubscription') },
      ],
    },
    { param: 'plan', label: t('field.plan'), options: usePlanOptions() },
  ];
}

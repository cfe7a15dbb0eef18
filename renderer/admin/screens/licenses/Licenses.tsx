/** The licenses screen. */
import { FilePlus2, ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import type { ListedLicense } from '../../../../shared/api/admin/licenses.ts';
import { planName } from '../../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { LicenseStatus } from '../../records/StatusBadge.tsx';
import { usePlanOptions } from '../../records/use-plans.ts';
import { useAddress } from '../../routing.ts';
import type { ListColumn, ListFilter } from '../../table/columns.ts';
import { ListScreen } from '../../table/ListScreen.tsx';
import { NewButton } from '../../table/NewButton.tsx';
import { IssueLicenseDialog } from './IssueLicenseDialog.tsx';
import { LicenseRecord } from './LicenseRecord.tsx';
import { withoutLicenseKey } from './license-search.ts';

export function Licenses() {
  const { t } = useMessages();
  const columns = useLicenseColumns();
  const filters = useLicenseFilters();
  const issue = (
    <NewButton
      endpoint="issueLicense"
      variant="primary"
      icon={FilePlus2}
      label={t('licenses.issue')}
      dialog={(close) => <IssueLicenseDialog onClose={close} />}
    />
  );
  return (
    <ListScreen
      name="licenses"
      title={t('navigation.licenses')}
      searchHint={t('licenses.searchHint')}
      toSearch={withoutLicenseKey}
      columns={columns}
      filters={filters}
      idOf={idOf}
      actions={issue}
      empty={{ icon: ScrollText, title: t('licenses.empty'), hint: t('licenses.emptyHint') }}
      renderRecord={(id) => <LicenseRecord id={id} />}
    />
  );
}

function idOf({ id }: ListedLicense): string {
  return id;
}

function useLicenseColumns(): readonly ListColumn<ListedLicense>[] {
  const { t } = useMessages();
  return useMemo(
    () => [
      {
        id: 'key',
        label: t('navigation.license'),
        cell: ({ key_preview }) => <span className="row-title row-word mono">{key_preview}</span>,
      },
      {
        id: 'owner',
        label: t('field.owner'),
        cell: ({ email }) =>
          email === null ? (
            <span className="row-more">{t('licenses.unclaimed')}</span>
          ) : (
            <span className="wrap-anywhere">{email}</span>
          ),
      },
      { id: 'status', label: t('field.status'), cell: ({ status }) => <LicenseStatus status={status} /> },
      { id: 'plan', label: t('field.plan'), isMinor: true, cell: ({ plan }) => planName(plan, t) },
      {
        id: 'devices',
        label: t('navigation.devices'),
        isNumber: true,
        cell: ({ activations, max_activations }) => `${activations} / ${max_activations}`,
      },
      {
        id: 'expires',
        label: t('field.expires'),
        isMinor: true,
        cell: ({ expires_at, with_subscription }) => <Expiry at={expires_at} withSubscription={with_subscription} />,
      },
      { id: 'created', label: t('field.issued'), isMinor: true, cell: ({ created_at }) => <Day at={created_at} /> },
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

type ExpiryProps = { readonly at: string | null; readonly withSubscription: boolean };

function Expiry({ at, withSubscription }: ExpiryProps) {
  const { t } = useMessages();
  if (at !== null) return <Day at={at} />;
  return (
    <span className="row-more">{withSubscription ? t('licenses.withSubscriptionShort') : t('licenses.never')}</span>
  );
}

const statuses = ['active', 'inactive', 'revoked', 'expired'] as const;

/** The overview links to 14. */
const endsWithinDays = [7, 14, 30, 90] as const;

function useLicenseFilters(): readonly ListFilter[] {
  const { t } = useMessages();
  const account = useAddress().params.get('account');
  return [
    // This filter is set only by links to an account's licenses; users find them by searching.
    ...(account ? [{ param: 'account', label: t('field.owner'), options: [{ id: account, name: account }] }] : []),
    {
      param: 'status',
      label: t('field.status'),
      options: statuses.map((id) => ({ id, name: t(`licenseStatus.${id}`) })),
    },
    { param: 'plan', label: t('field.plan'), options: usePlanOptions() },
    {
      param: 'expires_within_days',
      label: t('licenses.ends'),
      options: endsWithinDays.map((days) => ({ id: String(days), name: t('licenses.endsWithin', { days }) })),
    },
  ];
}

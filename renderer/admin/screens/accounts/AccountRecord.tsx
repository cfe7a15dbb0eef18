/** An account: its subscription, licenses, features, API key and sessions, and the available actions. */
import type { AccountRecordForStaff } from '../../../../shared/api/admin/accounts.ts';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { RecordHeading, RecordSection } from '../../records/RecordSection.tsx';
import { LicenseStatus, UnconfirmedAddress } from '../../records/StatusBadge.tsx';
import { hrefOf } from '../../routing.ts';
import { RecordContent } from '../../table/RecordPanel.tsx';
import { WithoutAccess } from '../licenses/WithoutAccess.tsx';
import { AccountActions, IssueForAccountButton } from './AccountActions.tsx';
import { EntitlementSection } from './EntitlementSection.tsx';
import { SessionsSection } from './SessionsSection.tsx';
import { SubscriptionSection } from './SubscriptionSection.tsx';

export function AccountRecord({ id }: { readonly id: string }) {
  return (
    <RecordContent result={useRead('account', { params: { id } })}>
      {(account) => (
        <>
          <RecordHeading title={account.email}>
            {account.full_name} <UnconfirmedAddress account={account} />
          </RecordHeading>
          <SubscriptionSection account={account} />
          <LicensesSection account={account} />
          <EntitlementSection account={account} />
          <ApiKeySection account={account} />
          <SessionsSection account={account} />
          <DetailsSection account={account} />
          <AccountActions account={account} />
        </>
      )}
    </RecordContent>
  );
}

type SectionProps = { readonly account: AccountRecordForStaff };

function LicensesSection({ account }: SectionProps) {
  const { t } = useMessages();
  const total = account.license_totals.licenses;
  return (
    <RecordSection title={t('navigation.licenses')} aside={<IssueForAccountButton account={account} />}>
      {account.licenses.length === 0 && <p className="hint">{t('licenses.none')}</p>}
      <ul className="record-list" aria-label={t('navigation.licenses')}>
        {account.licenses.map((license) => (
          <li key={license.id} className="record-item">
            <div className="record-item-text">
              <a className="link mono" href={hrefOf('licenses', { open: license.id })}>
                {license.key_preview}
              </a>{' '}
              <p className="hint tabular">
                {t('licenses.devicesUsed', { used: license.activations, max: license.max_activations })}
              </p>
              <WithoutAccess license={license} />
            </div>{' '}
            <LicenseStatus status={license.status} />
          </li>
        ))}
      </ul>
      {total > account.licenses.length && (
        <a className="link" href={hrefOf('licenses', { account: account.email })}>
          {t('accounts.allLicenses', { count: total })}
        </a>
      )}
    </RecordSection>
  );
}

function ApiKeySection({ account: { api_key: key } }: SectionProps) {
  const { t } = useMessages();
  if (key === null) return null;
  return (
    <RecordSection title={t('navigation.apiKey')}>
      <Facts>
        <Fact name={t('field.key')} more={key.is_legacy && t('accounts.legacyKey')}>
          <span className="mono">{key.api_key_prefix}…</span>
        </Fact>
        <Fact name={t('field.created')}>
          <Day at={key.created_at} />
        </Fact>
        {key.expires_at !== null && (
          <Fact name={t('field.expires')}>
            <Day at={key.expires_at} />
          </Fact>
        )}
      </Facts>
    </RecordSection>
  );
}

function DetailsSection({ account }: SectionProps) {
  const { t } = useMessages();
  return (
    <RecordSection title={t('list.details')}>
      <Facts>
        <Fact name={t('field.created')}>
          <Day at={account.created_at} />
        </Fact>
        <Fact name={t('credentials.password')}>
          {account.has_password ? <Day at={account.password_changed_at} /> : t('accounts.noPassword')}
        </Fact>
        {account.role !== null && (
          <Fact name={t('field.role')}>
            <a className="link" href={hrefOf('staff')}>
              {t(`role.${account.role}.name`)}
            </a>
          </Fact>
        )}
        <Fact name={t('field.id')}>
          <span className="mono">{account.id}</span>
        </Fact>
      </Facts>
    </RecordSection>
  );
}

/** A license: its owner, expiry and devices, and the available actions. */
import type { LicenseRecord as License } from '../../../../shared/api/admin/licenses.ts';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { planName } from '../../../i18n/format.ts';
import { useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { DeviceList } from '../../records/DeviceList.tsx';
import { RecordHeading, RecordSection } from '../../records/RecordSection.tsx';
import { LicenseStatus } from '../../records/StatusBadge.tsx';
import { hrefOf } from '../../routing.ts';
import { useMay } from '../../session/session-store.ts';
import { RecordContent } from '../../table/RecordPanel.tsx';
import { LicenseActions } from './LicenseActions.tsx';
import { ExpiryButton, LimitButton, UpdatesUntilButton } from './LicenseTerms.tsx';
import { WithoutAccess } from './WithoutAccess.tsx';

export function LicenseRecord({ id }: { readonly id: string }) {
  const { t } = useMessages();
  return (
    <RecordContent result={useRead('license', { params: { id } })}>
      {(license) => (
        <>
          <RecordHeading title={<span className="mono">{license.key_preview}</span>}>
            <LicenseStatus status={license.status} />
          </RecordHeading>
          <WithoutAccess license={license} />
          <LicenseActions license={license} />
          <RecordSection title={t('list.details')}>
            <LicenseFacts license={license} />
          </RecordSection>
          <RecordSection
            title={t('licenses.devicesUsed', { used: license.activations, max: license.max_activations })}
            aside={<LimitButton license={license} />}
          >
            <DeviceList license={license} />
          </RecordSection>
        </>
      )}
    </RecordContent>
  );
}

function LicenseFacts({ license }: { readonly license: License }) {
  const { t } = useMessages();
  const mayExtend = useMay('setLicenseExpiry') && license.status !== 'revoked';
  const mayChangeUpdates = useMay('setLicenseUpdatesUntil');
  return (
    <Facts>
      <Fact name={t('field.owner')}>
        {license.user_id === null ? (
          t('licenses.unclaimed')
        ) : (
          <a className="link" href={hrefOf('accounts', { open: license.user_id })}>
            {license.email}
          </a>
        )}
      </Fact>
      <Fact name={t('field.plan')}>{planName(license.plan, t)}</Fact>
      <Fact name={t('field.expires')} more={mayExtend && <ExpiryButton license={license} />}>
        {license.expires_at === null ? t('licenses.never') : <Day at={license.expires_at} />}
      </Fact>
      <Fact name={t('field.updatesUntil')} more={mayChangeUpdates && <UpdatesUntilButton license={license} />}>
        {license.updates_until === null ? t('licenses.allUpdates') : <Day at={license.updates_until} />}
      </Fact>
      {license.with_subscription && <Fact name={t('field.subscription')}>{t('licenses.withSubscription')}</Fact>}
      <Fact name={t('field.issued')}>
        <Day at={license.created_at} />
      </Fact>
      <Fact name={t('field.id')}>
        <span className="mono">{license.id}</span>
      </Fact>
    </Facts>
  );
}

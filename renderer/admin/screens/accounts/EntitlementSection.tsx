/** What an account may use now, and which subscription or license decides it. */
import type { AccountRecordForStaff } from '../../../../shared/api/admin/accounts.ts';
import { planName } from '../../../i18n/format.ts';
import { useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { FeatureList } from '../../records/FeatureList.tsx';
import { ReadFailure } from '../../records/ReadFailure.tsx';
import { RecordSection } from '../../records/RecordSection.tsx';
import { useVisibleFeatures } from '../features/feature-records.ts';

export function EntitlementSection({ account }: { readonly account: AccountRecordForStaff }) {
  const { t } = useMessages();
  const { features: shown, failure } = useVisibleFeatures();
  const plans = useRead('plans').data?.plans ?? [];
  const { plan, decided_by, features } = account.entitlement;
  const isBesideSubscription = decided_by === 'license' && account.subscription !== null;
  const basis = isBesideSubscription ? 'license_beside_subscription' : decided_by;
  const title = t('navigation.features');
  return (
    <RecordSection title={title}>
      <p className="hint">{t(`accounts.decidedBy.${basis}`, { plan: planName(plan, t) })}</p>
      {failure !== null && <ReadFailure failure={failure} />}
      <FeatureList
        label={title}
        shown={shown ?? []}
        features={features}
        noteFor={({ name }) => {
          const other = plans.find((each) => each.features[name] === true);
          return other && t('accounts.inPlan', { plan: planName(other.name, t) });
        }}
      />
      <p className="hint">{t('accounts.featuresOnDevices')}</p>
    </RecordSection>
  );
}

/**
 * Badges for the status of licenses, subscriptions, deliveries and billing events, and for warnings about devices and
 * accounts: a word, with an icon where it matters.
 */
import type { AccountRow } from '../../../shared/api/admin/accounts.ts';
import type { BillingEventRecord } from '../../../shared/api/admin/billing.ts';
import type { LicensedDevice } from '../../../shared/api/admin/devices.ts';
import type { Delivery } from '../../../shared/api/admin/webhooks.ts';
import type { Activation } from '../../../shared/api/license.ts';
import { type Tone, ToneIcon } from '../../components/Banner.tsx';
import { licenseStatus, subscriptionStatus } from '../../i18n/account-messages.ts';
import { useMessages } from '../i18n/messages.ts';

const licenseTones: Readonly<Record<string, Tone>> = {
  active: 'good',
  inactive: 'attention',
  revoked: 'blocked',
  expired: 'unknown',
};

const subscriptionTones: Readonly<Record<string, Tone>> = {
  active: 'good',
  trialing: 'good',
  past_due: 'attention',
  canceled: 'unknown',
  expired: 'unknown',
};

const activityTones: Readonly<Record<Activation['activity'], Tone>> = {
  active: 'good',
  idle: 'unknown',
  stale: 'attention',
};

const deliveryTones: Readonly<Record<Delivery['state'], Tone>> = {
  pending: 'unknown',
  delivered: 'good',
  failed: 'blocked',
};

const billingTones: Readonly<Record<BillingEventRecord['state'], Tone>> = {
  applied: 'good',
  outdated: 'unknown',
  ignored: 'unknown',
  dead_letter: 'attention',
};

export function LicenseStatus({ status }: { readonly status: string }) {
  const { t } = useMessages();
  return <Badge tone={licenseTones[status] ?? 'unknown'}>{licenseStatus(status, t)}</Badge>;
}

export function SubscriptionStatus({ status }: { readonly status: string }) {
  const { t } = useMessages();
  return <Badge tone={subscriptionTones[status] ?? 'unknown'}>{subscriptionStatus(status, t)}</Badge>;
}

export function DeviceActivity({ activity }: { readonly activity: Activation['activity'] }) {
  const { t } = useMessages();
  return <Badge tone={activityTones[activity]}>{t(`devices.${activity}`)}</Badge>;
}

/** Renders nothing if only one installation uses the device. */
export function SeveralInstallations({ device }: { readonly device: LicensedDevice }) {
  const { t } = useMessages();
  if (device.several_installations_at === undefined) return null;
  return <Badge tone="attention">{t('devices.severalInstallations')}</Badge>;
}

/** Renders nothing if the address is confirmed, or cannot be confirmed. */
export function UnconfirmedAddress({ account }: { readonly account: Pick<AccountRow, 'email_confirmation_missing'> }) {
  const { t } = useMessages();
  if (!account.email_confirmation_missing) return null;
  return <Badge tone="attention">{t('accounts.unconfirmed')}</Badge>;
}

export function DeliveryStatus({ state }: Pick<Delivery, 'state'>) {
  const { t } = useMessages();
  return <Badge tone={deliveryTones[state]}>{t(`webhooks.${state}`)}</Badge>;
}

export function BillingEventStatus({ state }: Pick<BillingEventRecord, 'state'>) {
  const { t } = useMessages();
  return <Badge tone={billingTones[state]}>{t(`billing.state.${state}`)}</Badge>;
}

export function EndpointStatus({ isEnabled }: { readonly isEnabled: boolean }) {
  const { t } = useMessages();
  const text = isEnabled ? t('webhooks.enabled') : t('webhooks.disabled');
  return <Badge tone={isEnabled ? 'good' : 'attention'}>{text}</Badge>;
}

function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  return (
    <span className={`badge badge-${tone}`}>
      {tone !== 'unknown' && <ToneIcon tone={tone} />}
      {children}
    </span>
  );
}

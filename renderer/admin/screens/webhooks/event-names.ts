/** Display names of event types. */
import type { WebhookEventType } from '../../../../shared/api/admin/webhooks.ts';
import type { AdminMessages } from '../../locales/en.ts';

/** Message key of each type, in display order. */
export const eventKeys: Readonly<Record<WebhookEventType, keyof AdminMessages['webhooks']['event']>> = {
  'account.created': 'accountCreated',
  'account.deleted': 'accountDeleted',
  'license.issued': 'licenseIssued',
  'license.activated': 'licenseActivated',
  'license.released': 'licenseReleased',
  'license.suspended': 'licenseSuspended',
  'license.reinstated': 'licenseReinstated',
  'license.revoked': 'licenseRevoked',
  'license.expiring': 'licenseExpiring',
  'license.expired': 'licenseExpired',
  'license.key_replaced': 'licenseKeyReplaced',
  'subscription.changed': 'subscriptionChanged',
  'subscription.expiring': 'subscriptionExpiring',
  'api_key.regenerated': 'apiKeyRegenerated',
  'device.suspicious': 'deviceSuspicious',
  'plan.changed': 'planChanged',
  'installer.published': 'installerPublished',
};

export const eventTypes = Object.keys(eventKeys) as readonly WebhookEventType[];

/** Returns the host of an endpoint's URL, by which users recognize it. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

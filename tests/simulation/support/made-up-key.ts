/** Keys and ids in place of those that a support file does not have. */

/** A license key with that preview. */
export function makeUpLicenseKey(preview: string): string {
  return preview.startsWith('...') ? `replay-${preview.slice(3)}` : preview.replace('...', '-0000-0000-');
}

/** The activation of this device. */
export const ownActivationId = 'replay-own-activation';
/** Any other activation of the account. */
export const otherActivationId = 'replay-other-activation';

/** The person of that account. */
export function makeUpUser(accountId: string) {
  return { id: accountId, email: 'replay@example.org', full_name: '' };
}

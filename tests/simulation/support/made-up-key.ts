/** Substitutes for keys and ids that a support file does not contain. */

/** Returns a license key with this preview. */
export function makeUpLicenseKey(preview: string): string {
  return preview.startsWith('...') ? `replay-${preview.slice(3)}` : preview.replace('...', '-0000-0000-');
}

/** The activation of this device. */
export const ownActivationId = 'replay-own-activation';
/** Any other activation of the account. */
export const otherActivationId = 'replay-other-activation';

/** Returns a user for this account. */
export function makeUpUser(accountId: string) {
  return { id: accountId, email: 'replay@example.org', full_name: '' };
}

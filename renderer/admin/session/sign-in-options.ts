/** What the server says about signing in, and about passwords. */
import { defaultMinPasswordLength } from '../../../shared/formats/password.ts';
import { useRead } from '../api/queries.ts';

/** Whether a forgotten password can be reset by mail. False until the server has said so. */
export function useCanResetPassword(): boolean {
  return useRead('staffSignInOptions').data?.can_reset_password ?? false;
}

/** How many characters a new password must have at least. */
export function useMinPasswordLength(): number {
  return useRead('staffSignInOptions').data?.password_min_length ?? defaultMinPasswordLength;
}

/** Whether the server has an identity provider. False until it has said so. */
export function useOffersSingleSignOn(): boolean {
  return useRead('staffSignInOptions').data?.single_sign_on ?? false;
}

/** The server's sign-in options and password rules. */
import { defaultMinPasswordLength } from '../../../shared/formats/password.ts';
import { useRead } from '../api/queries.ts';

/** Returns whether a forgotten password can be reset by mail; false until the server has answered. */
export function useCanResetPassword(): boolean {
  return useRead('staffSignInOptions').data?.can_reset_password ?? false;
}

/** Returns the minimum length of a new password, in characters. */
export function useMinPasswordLength(): number {
  return useRead('staffSignInOptions').data?.password_min_length ?? defaultMinPasswordLength;
}

/** Returns whether the server has an identity provider; false until it has answered. */
export function useOffersSingleSignOn(): boolean {
  return useRead('staffSignInOptions').data?.single_sign_on ?? false;
}

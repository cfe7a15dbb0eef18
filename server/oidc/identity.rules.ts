/** Reads the verified email and the role from the claims of an identity provider. */
import { includesRole, type StaffRole } from '../../shared/api/staff-role.ts';
import { parseEmail } from '../../shared/formats/email.ts';
import { SingleSignOnRefused } from './provider-errors.ts';

/** Claims of an ID token, or of the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns true if the ID token alone has all needed claims: some providers return the rest
 * only from their userinfo endpoint.
 */
export function isComplete(claims: Claims, groupsClaim: string): boolean {
  return claims.email !== undefined && claims.email_verified !== undefined && claims[groupsClaim] !== undefined;
}

/**
 * Returns the email that the provider has verified, from the first source that has one. Throws `SingleSignOnRefused`.
 */
export function requireVerifiedEmail(sources: readonly Claims[]): string {
  // Email and verification must come from the same source.
  const source = sources.find(({ email, email_verified }) => email !== undefined && email_verified !== undefined);
  const { email, email_verified } = source ?? {};
  if (typeof email === 'string' && parseEmail(email) && email_verified === true) return email;
  throw new SingleSignOnRefused('SSO_UNVERIFIED_EMAIL', 'no address that the provider has verified');
}

/** Returns the highest role of the person's groups, from the first source that has the claim; `undefined` for none. */
export function findRole(
  sources: readonly Claims[],
  { claim, roles }: { readonly claim: string; readonly roles: ReadonlyMap<string, StaffRole> },
): StaffRole | undefined {
  const groups = sources.map((source) => source[claim]).find((value) => value !== undefined);
  const found = [groups].flat().flatMap((group) => (typeof group === 'string' ? (roles.get(group) ?? []) : []));
  return found.toSorted((a, b) => (includesRole(a, b) ? -1 : 1))[0];
}

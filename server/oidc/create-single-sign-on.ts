/** Composes single sign-on, where an identity provider is configured. */
import type { OidcConfig } from '../config.ts';
import { IdentityProvider } from './identity-provider.ts';
import { SignInAttempts, type SignInAttemptsDeps } from './sign-in-attempt.ts';
import { SingleSignOnService, type SingleSignOnServiceDeps } from './single-sign-on.service.ts';

type Deps = SignInAttemptsDeps & Omit<SingleSignOnServiceDeps, 'oidc' | 'attempts' | 'provider'>;

export function createSingleSignOn(oidc: OidcConfig | undefined, deps: Deps): SingleSignOnService | undefined {
  if (!oidc) return undefined;
  const attempts = new SignInAttempts(deps);
  const provider = new IdentityProvider({ ...deps, oidc });
  return new SingleSignOnService({ ...deps, oidc, attempts, provider });
}

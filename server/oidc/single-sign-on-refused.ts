/** Why somebody could not sign in by the identity provider. */
import type { SingleSignOnProblem } from '../../shared/api/admin/single-sign-on-outcome.ts';

export class SingleSignOnRefused extends Error {
  readonly problem: SingleSignOnProblem;
  /** In the attempt that was refused; the page waits in another window. */
  isNewWindow = false;
  /** Who it was, as far as the provider vouches for it. */
  readonly email: string | undefined;

  /** `reason` is for the operator: one sentence, never a secret. */
  constructor(
    problem: SingleSignOnProblem,
    reason: string,
    { cause, email }: { readonly cause?: unknown; readonly email?: string } = {},
  ) {
    super(reason, { cause });
    this.email = email;
    this.name = 'SingleSignOnRefused';
    this.problem = problem;
  }
}

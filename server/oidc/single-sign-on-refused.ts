/** The error of a refused sign-in through the identity provider. */
import type { SingleSignOnProblem } from '../../shared/api/admin/single-sign-on-outcome.ts';

export class SingleSignOnRefused extends Error {
  readonly problem: SingleSignOnProblem;
  /** True if the page waits in another window; taken from the refused attempt. */
  isNewWindow = false;
  /** Email of the person, if the provider vouches for it. */
  readonly email: string | undefined;

  /** `reason` is for the operator: one sentence, without secrets. */
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

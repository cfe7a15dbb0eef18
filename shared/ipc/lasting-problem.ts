/** Lease problems that the server's next lease does not solve. */
import type { LeaseInfo } from './app-state.ts';

export type LastingProblem = Exclude<LeaseInfo['problem'], null | 'not_yet_valid' | 'expired'>;

/** Returns the lease's problem unless waiting for the server's next lease solves it. */
export function lastingProblem(problem: LeaseInfo['problem']): LastingProblem | null {
  return problem === 'not_yet_valid' || problem === 'expired' ? null : problem;
}

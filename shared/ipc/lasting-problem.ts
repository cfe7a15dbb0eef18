/** What is wrong with a lease for longer than until the server's next one. */
import type { LeaseInfo } from './app-state.ts';

export type LastingProblem = Exclude<LeaseInfo['problem'], null | 'not_yet_valid' | 'expired'>;

/** What is wrong with the lease, if waiting for the server's next one does not help. */
export function lastingProblem(problem: LeaseInfo['problem']): LastingProblem | null {
  return problem === 'not_yet_valid' || problem === 'expired' ? null : problem;
}

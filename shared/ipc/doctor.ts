/** What the connection doctor found out, step by step. */
import type { Instant } from './app-state.ts';

export type DoctorOutcome = 'pass' | 'fail' | 'unknown';

/** Each thing that may be found, with what it means for its step. */
export const doctorFindings = {
  'address-good': 'pass',
  'address-bad': 'fail',
  answers: 'pass',
  'name-unknown': 'fail',
  refused: 'fail',
  certificate: 'fail',
  'timed-out': 'fail',
  unreachable: 'fail',
  'license-server': 'pass',
  'something-else': 'fail',
  busy: 'unknown',
  'clock-agrees': 'pass',
  'clock-ahead': 'fail',
  'clock-behind': 'fail',
  'clock-not-told': 'unknown',
  'session-accepted': 'pass',
  'session-refused': 'fail',
  'session-not-told': 'unknown',
  'signed-out': 'unknown',
  'not-tried': 'unknown',
} as const satisfies Record<string, DoctorOutcome>;

export type DoctorFinding = keyof typeof doctorFindings;

export type DoctorStep = {
  readonly step: 'address' | 'answer' | 'license-server' | 'clock' | 'session';
  readonly finding: DoctorFinding;
  /** A short fact for support, e.g. `ECONNREFUSED`, `HTTP 502` or `12 min`. */
  readonly detail: string | null;
};

/** The steps in their order; each rests on those before it. */
export type DoctorReport = {
  readonly at: Instant;
  readonly serverAddress: string;
  readonly steps: readonly DoctorStep[];
};

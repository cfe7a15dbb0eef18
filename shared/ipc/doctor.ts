/** The report of the connection doctor, step by step. */
import type { Timestamp } from './app-state.ts';

export type DoctorOutcome = 'pass' | 'fail' | 'unknown';

/** Each possible finding, and whether the step passed with it. */
export const doctorFindings = {
  'address-valid': 'pass',
  'address-invalid': 'fail',
  'server-responds': 'pass',
  'host-not-found': 'fail',
  'connection-refused': 'fail',
  certificate: 'fail',
  'unknown-authority': 'fail',
  proxy: 'fail',
  'proxy-authentication': 'fail',
  'timed-out': 'fail',
  unreachable: 'fail',
  'license-server': 'pass',
  'not-a-license-server': 'fail',
  busy: 'unknown',
  'clock-in-sync': 'pass',
  'clock-ahead': 'fail',
  'clock-behind': 'fail',
  'clock-unknown': 'unknown',
  'session-accepted': 'pass',
  'session-rejected': 'fail',
  'session-unknown': 'unknown',
  'signed-out': 'unknown',
  skipped: 'unknown',
} as const satisfies Record<string, DoctorOutcome>;

export type DoctorFinding = keyof typeof doctorFindings;

export type DoctorStep = {
  readonly step: 'address' | 'response' | 'license-server' | 'clock' | 'session';
  readonly finding: DoctorFinding;
  /** A short fact for support, e.g. `ECONNREFUSED`, `HTTP 502` or `12 min`. */
  readonly detail: string | null;
};

/** The steps in order; each depends on those before it. */
export type DoctorReport = {
  readonly at: Timestamp;
  /** `null` before the user has chosen a server, where the app has none of its own. */
  readonly serverAddress: string | null;
  readonly steps: readonly DoctorStep[];
};

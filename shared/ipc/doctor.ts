/** The connection doctor's report: ten steps from this device to its place on a license. */

/** In the order of the checks. */
export const doctorStepNames = [
  'address',
  'dns',
  'tcp',
  'tls',
  'proxy',
  'clock',
  'api',
  'session',
  'license',
  'seat',
] as const;
export type DoctorStepName = (typeof doctorStepNames)[number];

export type DoctorOutcome = 'pass' | 'fail' | 'unknown' | 'skipped';

/** Remedies; the window has a sentence and a button for each. */
export type DoctorRemedy =
  | 'change-address'
  | 'check-address'
  | 'check-network'
  | 'check-firewall'
  | 'check-proxy'
  | 'give-proxy-credentials'
  | 'ask-network-administrator'
  | 'ask-server-administrator'
  | 'start-server'
  | 'renew-certificate'
  | 'trust-issuer'
  | 'set-clock'
  | 'sign-in-to-network'
  | 'sign-in'
  | 'enter-key'
  | 'enter-another-key'
  | 'contact-issuer'
  | 'renew-subscription'
  | 'activate'
  | 'release-device';

/** An outcome, with exactly one remedy if it is a failure. */
type Rule =
  | { readonly outcome: Exclude<DoctorOutcome, 'fail'>; readonly remedy: null }
  | { readonly outcome: 'fail'; readonly remedy: DoctorRemedy };

const pass = { outcome: 'pass', remedy: null } as const;
const unknown = { outcome: 'unknown', remedy: null } as const;
const skipped = { outcome: 'skipped', remedy: null } as const;
const fail = (remedy: DoctorRemedy) => ({ outcome: 'fail', remedy }) as const;

/** All findings, with the outcome of the step. */
export const doctorFindings = defineFindings({
  'address-valid': pass,
  'address-missing': fail('change-address'),
  'address-invalid': fail('change-address'),

  'name-resolved': pass,
  /** The address is an IP address; with a detail, that of the proxy. */
  'name-not-needed': pass,
  /** The DNS servers say that the name does not exist. */
  'name-not-found': fail('check-address'),
  /** No DNS server responds, so no name can be resolved. */
  'dns-silent': fail('check-network'),
  'proxy-name-not-found': fail('check-proxy'),

  connected: pass,
  'connection-refused': fail('start-server'),
  'connection-timeout': fail('check-firewall'),
  'connection-failed': fail('check-network'),
  'proxy-unreachable': fail('check-proxy'),

  'certificate-trusted': pass,
  'certificate-expired': fail('renew-certificate'),
  'certificate-not-yet-valid': fail('set-clock'),
  /** The certificate is valid by the server's time; only this clock disagrees. */
  'certificate-clock': fail('set-clock'),
  'certificate-name': fail('check-address'),
  'certificate-issuer': fail('trust-issuer'),
  'certificate-self-signed': fail('ask-server-administrator'),
  'certificate-invalid': fail('ask-server-administrator'),
  'tls-not-spoken': fail('check-address'),
  'tls-timeout': fail('check-firewall'),
  'tls-failed': fail('check-firewall'),
  /** The proxy blocked this check; the `proxy` step says whether it lets the app through. */
  'tls-not-measured': unknown,
  'tls-not-used': skipped,

  'proxy-none': pass,
  'proxy-used': pass,
  'proxy-authentication': fail('give-proxy-credentials'),
  'proxy-refuses': fail('ask-network-administrator'),
  'proxy-unknown': unknown,

  'clock-in-sync': pass,
  'clock-ahead': fail('set-clock'),
  'clock-behind': fail('set-clock'),
  'clock-unknown': unknown,

  'license-server': pass,
  'web-page': fail('sign-in-to-network'),
  'not-a-license-server': fail('check-address'),
  'server-busy': unknown,
  'no-response': fail('ask-server-administrator'),

  'session-accepted': pass,
  'session-ended': fail('sign-in'),
  'session-unknown': unknown,
  'signed-out': unknown,

  'license-good': pass,
  'license-none': fail('enter-key'),
  'license-not-found': fail('enter-another-key'),
  'license-revoked': fail('contact-issuer'),
  'license-expired': fail('contact-issuer'),
  'license-suspended': fail('contact-issuer'),
  'subscription-ended': fail('renew-subscription'),
  'license-unknown': unknown,

  'seat-taken': pass,
  'seat-not-activated': fail('activate'),
  'seat-limit-reached': fail('release-device'),

  'out-of-time': unknown,
  skipped,
});

export type DoctorFinding = keyof typeof doctorFindings;

/** Keeps the findings in the type, but not the rule of each. */
function defineFindings<Finding extends string>(table: Readonly<Record<Finding, Rule>>) {
  return table;
}

/** Details of the presented certificate, trusted or not; `null` if there was none. */
export type TlsDetail = {
  readonly issuer: string | null;
  /** ISO 8601 UTC. */
  readonly expires_at: string | null;
  /** E.g. `TLSv1.3`. */
  readonly protocol: string | null;
  /** Error code of the network stack, e.g. `CERT_HAS_EXPIRED`. */
  readonly code: string | null;
};

type StepResult = Rule & {
  readonly finding: DoctorFinding;
  /** Milliseconds by the monotonic clock; `null` if nothing was done. */
  readonly measured_ms: number | null;
};

/** `detail`: a short fact for support, e.g. `ECONNREFUSED`, `DIRECT`, `HTTP 502`, `12 min` or `3/3`; never a secret. */
export type DoctorStep =
  | (StepResult & { readonly step: Exclude<DoctorStepName, 'tls'>; readonly detail: string | null })
  | (StepResult & { readonly step: 'tls'; readonly detail: TlsDetail | null });

/** Uses the names that the command line prints. */
export type DoctorReport = {
  /** Start time, ISO 8601 UTC. */
  readonly at: string;
  /** `null` before the user has chosen a server, if the app has no default. */
  readonly server: string | null;
  /** The completed steps during a run; all ten afterwards. */
  readonly steps: readonly DoctorStep[];
};

export type DoctorProgress = {
  readonly report: DoctorReport;
  /** The current step; `null` after the run. */
  readonly running: DoctorStepName | null;
};

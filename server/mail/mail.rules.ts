/** Decides when to retry a mail, when to give up, and which failures are final. */
import { hourMs, minuteMs, secondMs } from '../clock.ts';
import type { Mail } from './mail.ts';

/** Returns how long a mail is useful to its recipient. */
function deadlineOf(kind: Mail['kind']): number {
  return kind === 'reset_password' ? 30 * minuteMs : 72 * hourMs;
}

/** Returns when to stop trying. A reminder of an end is not sent after that end. */
export function decideGiveUpAt(mail: Mail, nowMs: number): number {
  const atMs = nowMs + deadlineOf(mail.kind);
  return mail.kind === 'reminder' ? Math.min(atMs, Date.parse(mail.ends_at)) : atMs;
}

const retryDelaysMs = [10 * secondMs, 30 * secondMs, minuteMs, 2 * minuteMs, 5 * minuteMs, 10 * minuteMs];
const laterRetryMs = 15 * minuteMs;

/** Returns how long to wait after this many failed tries. */
export function retryDelay(tries: number): number {
  return retryDelaysMs[tries - 1] ?? laterRetryMs;
}

/** Details of a failed attempt. */
export type SendFailure = {
  /** The error code of the connection, such as `ECONNREFUSED`, `CERT_HAS_EXPIRED` or `EAUTH`. */
  readonly code?: string | undefined;
  /** The reply code of the SMTP server (RFC 5321, section 4.2); `undefined` if it did not respond. */
  readonly responseCode?: number | undefined;
  /** SMTP command that failed. */
  readonly command?: string | undefined;
};

/** Returns codes only, because a mail server's texts may quote the mail. */
export function describeFailure({ code, command, responseCode }: SendFailure): string {
  const codes = [code, command, responseCode].filter((part) => part !== undefined);
  return codes.length === 0 ? 'without a reason' : codes.join(', ');
}

/**
 * Returns true if the server permanently rejects this mail, as opposed to our connection or sign-in, which an admin can
 * fix.
 */
export function isFinal({ responseCode = 0, command }: SendFailure): boolean {
  return responseCode >= 500 && responseCode < 600 && (command === 'RCPT TO' || command === 'DATA');
}

/** How long a mail is tried, when again, and what makes another try useless. */
import { hourMs, minuteMs, secondMs } from '../clock.ts';
import type { Mail } from './mail.ts';

/** After this time nobody waits for the mail any more. */
function deadlineOf(kind: Mail['kind']): number {
  return kind === 'reset_password' ? 30 * minuteMs : 72 * hourMs;
}

/** Until when it is tried: of an end that has come nobody is reminded. */
export function decideGiveUpAt(mail: Mail, nowMs: number): number {
  const atMs = nowMs + deadlineOf(mail.kind);
  return mail.kind === 'reminder' ? Math.min(atMs, Date.parse(mail.ends_at)) : atMs;
}

const retryDelaysMs = [10 * secondMs, 30 * secondMs, minuteMs, 2 * minuteMs, 5 * minuteMs, 10 * minuteMs];
const laterRetryMs = 15 * minuteMs;

/** How long to wait after so many tries have failed. */
export function retryDelay(tries: number): number {
  return retryDelaysMs[tries - 1] ?? laterRetryMs;
}

/** What is known of a failed try. */
export type SendFailure = {
  /** Of the connection, such as `ECONNREFUSED` or `EAUTH`. */
  readonly code?: string | undefined;
  /** Of the SMTP server (RFC 5321, section 4.2); `undefined` if it did not respond. */
  readonly responseCode?: number | undefined;
  /** The SMTP command that failed. */
  readonly command?: string | undefined;
};

/** Codes only: the texts of a mail server may quote the mail. */
export function describeFailure({ code, command, responseCode }: SendFailure): string {
  const codes = [code, command, responseCode].filter((part) => part !== undefined);
  return codes.length === 0 ? 'without a reason' : codes.join(', ');
}

/** Whether the server rejects this mail for good, rather than our connection or sign-in, which an admin can correct. */
export function isFinal({ responseCode = 0, command }: SendFailure): boolean {
  return responseCode >= 500 && responseCode < 600 && (command === 'RCPT TO' || command === 'DATA');
}

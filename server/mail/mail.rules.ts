/** Decides when to retry a mail, when to give up, and which failures are final. */
import { hourMs, minuteMs, secondMs } from '../clock.ts';
import type { Mail } from './mail.ts';

const longestMs = 72 * hourMs;

/** Returns when to stop trying, as the mail is no longer useful. A reminder of an end is not sent after that end. */
export function decideGiveUpAt(mail: Mail, nowMs: number): number {
  const atMs = nowMs + (mail.kind === 'reset_password' ? 30 * minuteMs : longestMs);
  return mail.kind === 'reminder' ? Math.min(atMs, Date.parse(mail.ends_at)) : atMs;
}

/**
 * Returns when a new mail is due: before every mail that is retried, as none of those is older. Mails are sent in the
 * order in which they are due, so that thousands of addresses that no mail server takes, which anybody can sign up with,
 * do not delay the others.
 */
export function decideFirstTryAt(nowMs: number): number {
  return nowMs - longestMs;
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
  /** The enhanced status code in the reply (RFC 3463), such as `5.7.1`. */
  readonly enhancedCode?: string | undefined;
  /** True if the text of the reply is about relaying. */
  readonly mentionsRelay?: boolean | undefined;
  /** SMTP command that failed. */
  readonly command?: string | undefined;
};

/** Returns codes only, because a mail server's texts may quote the mail. */
export function describeFailure({ code, command, responseCode, enhancedCode }: SendFailure): string {
  const codes = [code, command, responseCode, enhancedCode].filter((part) => part !== undefined);
  return codes.length === 0 ? 'without a reason' : codes.join(', ');
}

/** Reads what the reply of an SMTP server says besides its reply code. */
export function readReply(reply: string): Pick<SendFailure, 'enhancedCode' | 'mentionsRelay'> {
  return {
    enhancedCode: /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(reply)?.[1],
    mentionsRelay: /\brelay/i.test(reply),
  };
}

/** Mailbox not available, user not local, mailbox full, mailbox name not allowed (RFC 5321, section 4.2.3). */
const mailboxReplies: readonly number[] = [550, 551, 552, 553];
/** Syntax of the address not accepted. Amazon SES, for example, says so of an address with umlauts. */
const addressReply = 501;
/**
 * Addressing status and mailbox status (RFC 3463), except for those of the sender's address; and that the mail server
 * does not accept such an address (RFC 6531). Everybody can sign up with one, and if each waited, they would fill the
 * queue.
 */
const recipientStatus = /^5\.(?:1\.(?!7$|8$)|2\.|6\.7$)/;

/**
 * Returns true if the server permanently rejects the recipient. Any other refusal, such as to relay, or to accept the
 * sender or a mail without a sign-in, is one that an admin can fix. Servers without enhanced status codes use the same
 * reply code for both, and then only the text may tell.
 */
export function isFinal({ responseCode = 0, enhancedCode, mentionsRelay = false, command }: SendFailure): boolean {
  if (responseCode < 500 || responseCode > 599 || (command !== 'RCPT TO' && command !== 'DATA')) return false;
  if (enhancedCode !== undefined) return recipientStatus.test(enhancedCode);
  const isAboutRecipient =
    mailboxReplies.includes(responseCode) || (responseCode === addressReply && command === 'RCPT TO');
  return isAboutRecipient && !mentionsRelay;
}

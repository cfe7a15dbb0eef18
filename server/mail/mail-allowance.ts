/**
 * Limits the number of mails to a mailbox, so that nobody can flood someone else's: anyone can sign up with any address
 * and make the server mail to it. Stored in the database, so that it is shared by processes and survives restarts.
 */
import { hash } from 'node:crypto';
import { parseEmail } from '../../shared/formats/email.ts';
import { minuteMs } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { deleteUnusedAllowances, recordUse } from './mail-allowance.repository.ts';

type CountedMail = {
  readonly email: string;
  /** Topic of the mail, such as `password_changed`. */
  readonly topic: string;
  /** True for a mail that delivers a link, false for a notice of something done. */
  readonly isLink: boolean;
  /** True if the account has confirmed the address. */
  readonly isConfirmed: boolean;
};

const periodMs = 12 * 60 * minuteMs;
/**
 * Allows a burst, then one mail per interval. The steady refill keeps a flood of requests from locking anyone out: the
 * next password reset link is at most one interval away.
 */
const intervals = {
  /** 8 at once and 16 more per day, for each topic. */
  confirmed: 90 * minuteMs,
  /** 4 at once and 8 more per day. */
  unconfirmed: 180 * minuteMs,
};
const deletedAtOnce = 100;

/**
 * Returns true, and counts the mail, if one more mail on this topic may be sent to the address now. A confirmed address
 * has an allowance per topic, so that many mails on one topic never block the first on another. Any other mailbox has
 * one allowance for links and one for notices, plus separate ones for links that only an account with exactly this
 * address can request.
 */
export async function takeMailAllowance(transaction: Transaction, mail: CountedMail, nowMs: number): Promise<boolean> {
  await deleteUnusedAllowances(transaction, nowMs, deletedAtOnce);
  const bucket = mail.isConfirmed ? `${mail.topic} ${addressKey(mail.email)}` : unconfirmedBucket(mail);
  const intervalMs = mail.isConfirmed ? intervals.confirmed : intervals.unconfirmed;
  return recordUse(transaction, hash('sha256', bucket), { nowMs, intervalMs, periodMs });
}

/**
 * Returns the allowance that a mail to an unconfirmed address counts against. Mails caused by strangers, through their
 * own accounts with tagged addresses or through address changes, take nothing from the owner of the mailbox, nor from
 * the invitations to it, which only staff can cause.
 */
function unconfirmedBucket({ email, topic, isLink }: CountedMail): string {
  const mailbox = mailboxOf(email);
  const isOfOwner = topic === 'invitation' || (topic !== 'change_email' && mailbox === addressKey(email));
  return isLink && isOfOwner ? `${topic} link ${mailbox}` : `${isLink ? 'link' : 'notice'} ${mailbox}`;
}

/**
 * Returns the mailbox of an address. A plus sign and what follows it in the local part lead to the same mailbox (RFC
 * 5233), and at Google dots are ignored too.
 */
function mailboxOf(email: string): string {
  const mailbox = addressKey(email).replace(/\+.*@/, '@');
  const [, name, isGoogle] = /^(.*)@(gmail|googlemail)\.com$/.exec(mailbox) ?? [];
  return isGoogle && name ? `${name.replaceAll('.', '')}@gmail.com` : mailbox;
}

function addressKey(email: string): string {
  return parseEmail(email)?.key ?? email.toLowerCase();
}

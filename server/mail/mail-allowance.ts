/**
 * How many mails a mailbox gets, so that nobody floods that of somebody else: anybody can sign up with any address and
 * make the server mail to it. Stored, so that processes and restarts share it.
 */
import { hash } from 'node:crypto';
import { parseEmail } from '../../shared/formats/email.ts';
import { type Clock, minuteMs } from '../clock.ts';
import type { Transaction } from '../database/database.ts';
import { deleteUnusedAllowances, recordUse } from './mail-allowance.repository.ts';

export type CountedMail = {
  readonly email: string;
  /** What it is about, such as `password_changed`. */
  readonly topic: string;
  /** Whether it is for a link that it has, rather than a notice of what was done. */
  readonly isLink: boolean;
};

const periodMs = 12 * 60 * minuteMs;
/**
 * Some at once, then one in each interval. What comes by and by keeps a flood of requests from locking anybody out: the
 * next link for a new password is never farther away than one interval.
 */
const intervals = {
  /** 8 at once and 16 more in a day, on each topic. */
  confirmed: 90 * minuteMs,
  /** 4 at once and 8 more in a day. */
  unconfirmed: 180 * minuteMs,
};
const deletedAtOnce = 100;

export class MailAllowance {
  readonly #deps: { readonly clock: Clock };

  constructor(deps: { readonly clock: Clock }) {
    this.#deps = deps;
  }

  /**
   * Whether one more mail on this topic may be sent to the address now. If so it counts. A confirmed address has an
   * allowance for each topic, so that many mails on one never hold back the first on another. Any other mailbox has one
   * for links and one for notices, and further ones for what only an account with exactly this address asks for.
   */
  async take(
    transaction: Transaction,
    { email, topic, isLink }: CountedMail,
    { isConfirmed }: { readonly isConfirmed: boolean },
  ): Promise<boolean> {
    const nowMs = this.#deps.clock.now();
    await deleteUnusedAllowances(transaction, nowMs, deletedAtOnce);
    const bucket = isConfirmed ? `${topic} ${addressKey(email)}` : unconfirmedBucket({ email, topic, isLink });
    const intervalMs = isConfirmed ? intervals.confirmed : intervals.unconfirmed;
    return recordUse(transaction, hash('sha256', bucket), { nowMs, intervalMs, periodMs });
  }
}

/** What strangers cause for a mailbox, by accounts of their own with tags or a change of address, takes nothing from its owner. */
function unconfirmedBucket({ email, topic, isLink }: CountedMail): string {
  const mailbox = mailboxOf(email);
  const isOwnLink = isLink && topic !== 'change_email' && mailbox === addressKey(email);
  return isOwnLink ? `${topic} link ${mailbox}` : `${isLink ? 'link' : 'notice'} ${mailbox}`;
}

/** What follows a plus sign in the local part leads to the same mailbox (RFC 5233), and at Google so do dots in it. */
function mailboxOf(email: string): string {
  const mailbox = addressKey(email).replace(/\+.*@/, '@');
  const [, name, isGoogle] = /^(.*)@(gmail|googlemail)\.com$/.exec(mailbox) ?? [];
  return isGoogle && name ? `${name.replaceAll('.', '')}@gmail.com` : mailbox;
}

function addressKey(email: string): string {
  return parseEmail(email)?.key ?? email.toLowerCase();
}

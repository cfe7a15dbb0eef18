/** What sends a mail, and how it fails. Apart from `smtp-mailer.ts`, whose library a server without mail does not load. */
import type { SendFailure } from './mail.rules.ts';
import type { Message } from './mail.ts';

/** Time limit for sending a mail, in ms, however slowly the mail server responds. */
export const sendTimeoutMs = 60_000;

export type Mailer = {
  /** Resolves once the mail server has accepted the mail. Throws `MailError`. */
  send(message: Message): Promise<void>;
  /** Aborts what is being sent. */
  close(): void;
};

/** A failed attempt to send a mail. Leaves out the mail server's texts, which may quote the mail. */
export class MailError extends Error {
  override name = 'MailError';
  readonly failure: SendFailure;

  constructor(failure: SendFailure) {
    super('the mail could not be sent');
    this.failure = failure;
  }
}

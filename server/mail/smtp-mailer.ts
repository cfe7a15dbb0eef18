/** Sends mail through an SMTP server. */
import { createTransport, type Transporter } from 'nodemailer';
import { isLoopback } from '../loopback.ts';
import type { MailConfig } from '../settings/config.ts';
import { readReply } from './mail.rules.ts';
import type { Message } from './mail.ts';
import { MailError, type Mailer, sendTimeoutMs } from './mailer.ts';

const connectTimeoutMs = 10_000;
const idleTimeoutMs = 20_000;

export class SmtpMailer implements Mailer {
  readonly #transport: Transporter;
  readonly #from: string;
  readonly #abort = new AbortController();

  constructor({ smtpUrl, from }: MailConfig) {
    this.#from = from;
    const isSecure = smtpUrl.protocol === 'smtps:';
    const isLocal = isLoopback(smtpUrl.hostname);
    const hasPassword = smtpUrl.username !== '';
    this.#transport = createTransport({
      host: smtpUrl.hostname.replace(/^\[|\]$/g, ''),
      port: smtpUrl.port === '' ? (isSecure ? 465 : 587) : Number(smtpUrl.port),
      secure: isSecure,
      // Otherwise an attacker in between could force plain text (RFC 3207, section 6) and read the links.
      requireTLS: !isLocal,
      // A connection within this machine needs no certificate.
      tls: { rejectUnauthorized: !isLocal },
      ...(hasPassword && {
        auth: { user: decodeURIComponent(smtpUrl.username), pass: decodeURIComponent(smtpUrl.password) },
      }),
      dnsTimeout: connectTimeoutMs,
      connectionTimeout: connectTimeoutMs,
      greetingTimeout: connectTimeoutMs,
      socketTimeout: idleTimeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  }

  async send({ to, subject, text }: Message): Promise<void> {
    try {
      await this.#transport.sendMail({
        from: this.#from,
        to: { name: '', address: to },
        subject,
        text,
        // Suppresses automatic replies (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: AbortSignal.any([AbortSignal.timeout(sendTimeoutMs), this.#abort.signal]),
      });
    } catch (error) {
      throw toMailError(error);
    }
  }

  close(): void {
    this.#abort.abort();
    this.#transport.close();
  }
}

function toMailError(error: unknown): MailError {
  // The mail server did not respond in time, or not before the server stopped.
  if (error instanceof Error && error.name === 'AbortError') return new MailError({ code: 'ETIMEDOUT' });
  // Where a connection fails, `code` is ESOCKET whatever the reason.
  const { code, originalCode = code, command, responseCode, response } = error as Record<string, unknown>;
  return new MailError({
    code: typeof originalCode === 'string' ? originalCode : undefined,
    command: typeof command === 'string' ? command : undefined,
    responseCode: typeof responseCode === 'number' ? responseCode : undefined,
    ...(typeof response === 'string' && readReply(response)),
  });
}

/** A mail server for one test, and delivery of the mails of a test app. */
import { onTestFinished } from 'vitest';
import { MailDelivery } from '../../server/mail/mail-delivery.ts';
import { SmtpMailer } from '../../server/mail/smtp-mailer.ts';
import { systemScheduler } from '../../server/scheduler.ts';
import type { Settings } from './environment.ts';
import { SmtpServer } from './smtp-server.ts';
import { startTestApp, type TestApp } from './start-app.ts';

/** Starts a mail server and stops it when the test ends. */
export async function startSmtpServer(): Promise<SmtpServer> {
  const server = new SmtpServer();
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}

/** Starts an app with a mail server; `send` sends its due mails. */
export async function startAppWithMail(more: Settings = {}) {
  const smtp = await startSmtpServer();
  const publicUrl = 'https://licenses.example.com';
  const settings = { LATCHKEY_SMTP_URL: smtp.url, LATCHKEY_PUBLIC_URL: publicUrl, ...more };
  const app = await startTestApp(settings);
  return { smtp, app, settings, send: () => sendMails(app) };
}

/** Sends the due mails of an app with a configured mail server; a server over HTTP does so by itself. */
export async function sendMails(app: TestApp): Promise<void> {
  await createMailDelivery(app).run();
}

/** Creates the job that sends the mails of an app with a configured mail server. */
export function createMailDelivery(app: TestApp): MailDelivery {
  const { mail } = app.config;
  if (!mail) throw new Error('no mail server is configured');
  const mailer = new SmtpMailer(mail);
  const siteUrl = () => 'https://licenses.example.com';
  const { clock, services } = app;
  return new MailDelivery({ scheduler: systemScheduler, clock, ...services, mailer, logger: app.app.log, siteUrl });
}

/** A server that sends mail, with the real SMTP server that receives it. */
import { SmtpServer } from '../harness/smtp-server.ts';
import { test as base } from './staff-fixture.ts';

export const test = base.extend<{ smtp: SmtpServer }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright requires a destructured parameter
  smtp: async ({}, use) => {
    const smtp = new SmtpServer();
    await smtp.start();
    await use(smtp);
    await smtp.stop();
  },
  settings: ({ smtp }, use) => use({ LATCHKEY_SMTP_URL: smtp.url, LATCHKEY_MAIL_FROM: 'licenses@lab.example' }),
});

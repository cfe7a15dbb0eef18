/** Serves the pages for links in mails and invitations. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { languages } from '../../shared/ipc/language.ts';
import { chooseLanguage } from '../accept-language.ts';
import type { Config } from '../settings/config.ts';
import { createConfirmPage } from './confirm-page.ts';
import { createMailPage } from './mail-page.ts';
import { createInvitationPage, createResetPage } from './password-page.ts';

/** Adds the invitation page, which needs no mail server because an invitation may be passed on without a mail. */
export function addInvitationPage(app: FastifyInstance, { passwordMinLength }: PageConfig): void {
  addPage(app, '/invitation', (language) => createMailPage(createInvitationPage(language, passwordMinLength)));
}

/**
 * Adds the pages for mailed links. They contain no secret: the token is in the link's fragment, which browsers do not
 * send.
 */
export function addMailPages(app: FastifyInstance, { passwordMinLength }: PageConfig): void {
  addPage(app, '/confirm', (language) => createMailPage(createConfirmPage(language)));
  addPage(app, '/reset', (language) => createMailPage(createResetPage(language, passwordMinLength)));
}

type PageConfig = Pick<Config, 'passwordMinLength'>;
type Page = ReturnType<typeof createMailPage>;

function addPage(app: FastifyInstance, path: string, create: (language: (typeof languages)[number]) => Page): void {
  const pages = new Map(languages.map((language) => [language, create(language)]));
  app.get(path, (request: FastifyRequest, reply: FastifyReply) => {
    const page = pages.get(chooseLanguage(request.headers['accept-language'])) as Page;
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', page.policy)
      .header('vary', 'accept-language')
      .send(page.html);
  });
}

/** The mail to somebody who was invited: the link to choose a password, in each language. */
import type { Language } from '../../shared/ipc/language.ts';
import { composeInEveryLanguage, type Part } from './every-language.ts';
import type { Message } from './mail.ts';

type Invited = { readonly email: string; readonly url: string };

export function composeInvitation(invited: Invited): Omit<Message, 'to'> {
  return composeInEveryLanguage((language) => composePart(invited, language));
}

function composePart({ email, url }: Invited, language: Language): Part {
  switch (language) {
    case 'en':
      return {
        subject: 'Your invitation',
        paragraphs: [
          `You have been invited to create an account. To choose a password for ${email}, open this link within 7 days:`,
          url,
          'The link works once. If you did not expect this invitation, ignore this mail.',
        ],
      };
    case 'de':
      return {
        subject: 'Ihre Einladung',
        paragraphs: [
          `Sie wurden eingeladen, ein Konto anzulegen. Öffnen Sie innerhalb von 7 Tagen diesen Link, um ein Passwort für ${email} festzulegen:`,
          url,
          'Der Link funktioniert einmal. Wenn Sie diese Einladung nicht erwartet haben, ignorieren Sie diese E-Mail.',
        ],
      };
    case 'ja':
      return {
        subject: 'アカウントへの招待',
        paragraphs: [
          `アカウントの作成に招待されました。7 日以内に次のリンクを開いて、${email} のパスワードを設定してください。`,
          url,
          'リンクは 1 回のみ有効です。心当たりがない場合は、このメールを無視してください。',
        ],
      };
  }
}

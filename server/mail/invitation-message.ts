/** The mail to somebody who was invited: the link to choose a password. */
import type { Language } from '../../shared/ipc/language.ts';
import { type Content, compose } from './compose.ts';

type Invited = { readonly email: string; readonly url: string };

export function composeInvitation({ email, url }: Invited, language: Language): Content {
  return {
    en: compose(
      'Your invitation',
      `You have been invited to create an account. To choose a password for ${email}, open this link within 7 days:`,
      url,
      'The link works once. If you did not expect this invitation, ignore this mail.',
    ),
    de: compose(
      'Ihre Einladung',
      `Sie wurden eingeladen, ein Konto anzulegen. Öffnen Sie innerhalb von 7 Tagen diesen Link, um ein Passwort für ${email} festzulegen:`,
      url,
      'Der Link funktioniert einmal. Wenn Sie diese Einladung nicht erwartet haben, ignorieren Sie diese E-Mail.',
    ),
    ja: compose(
      'アカウントへの招待',
      `アカウントの作成に招待されました。7 日以内に次のリンクを開いて、${email} のパスワードを設定してください。`,
      url,
      'リンクは 1 回のみ有効です。心当たりがない場合は、このメールを無視してください。',
    ),
  }[language];
}

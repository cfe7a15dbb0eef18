/** The page on which an invited person chooses the first password of the account. */
import type { Language } from '../../shared/ipc/language.ts';
import type { MailPage } from './mail-page.ts';
import { createPasswordPage, type PasswordPageTexts } from './password-page.ts';

export function createInvitationPage(language: Language, minLength: number): MailPage {
  return createPasswordPage({ language, minLength, texts: texts[language], checksLinkFirst: true });
}

const texts: Record<Language, PasswordPageTexts> = {
  en: {
    title: 'Choose a password',
    password: 'Password',
    done: 'Your account is ready. Sign in to the app with your email address and this password.',
    badLink:
      'This invitation is no longer valid. It works once, for 7 days, and only until you get a newer one. If you have chosen a password already, sign in to the app with it. If not, ask the person who invited you for a new invitation.',
  },
  de: {
    title: 'Passwort festlegen',
    password: 'Passwort',
    done: 'Ihr Konto ist bereit. Melden Sie sich in der App mit Ihrer E-Mail-Adresse und diesem Passwort an.',
    badLink:
      'Diese Einladung ist nicht mehr gültig. Sie funktioniert einmal, 7 Tage lang und nur, solange Sie keine neuere erhalten. Wenn Sie bereits ein Passwort festgelegt haben, melden Sie sich damit in der App an. Wenn nicht, bitten Sie die Person, die Sie eingeladen hat, um eine neue Einladung.',
  },
  ja: {
    title: 'パスワードの設定',
    password: 'パスワード',
    done: 'アカウントの準備ができました。メールアドレスとこのパスワードでアプリにサインインしてください。',
    badLink:
      'この招待は無効です。招待は 1 回のみ、7 日間有効で、新しい招待が届くと無効になります。すでにパスワードを設定した場合は、そのパスワードでアプリにサインインしてください。まだの場合は、招待した方に新しい招待を依頼してください。',
  },
};

/** The page for setting a new password with a mailed link. */
import type { Language } from '../../shared/ipc/language.ts';
import type { MailPage } from './mail-page.ts';
import { createPasswordPage, type PasswordPageTexts } from './password-page.ts';

export function createResetPage(language: Language, minLength: number): MailPage {
  return createPasswordPage({ language, minLength, texts: texts[language], checksLinkFirst: false });
}

const texts: Record<Language, PasswordPageTexts> = {
  en: {
    title: 'Set a new password',
    password: 'New password',
    done: 'Your password was changed. Sign in to the app with the new one; all devices have to sign in again.',
    badLink:
      'This link is no longer valid. A link works once, and for 30 minutes. Choose “Forgot password?” in the app to get a new one.',
  },
  de: {
    title: 'Neues Passwort festlegen',
    password: 'Neues Passwort',
    done: 'Ihr Passwort wurde geändert. Melden Sie sich in der App mit dem neuen an; alle Geräte müssen sich neu anmelden.',
    badLink:
      'Dieser Link ist nicht mehr gültig. Ein Link funktioniert einmal und 30 Minuten lang. Wählen Sie in der App „Passwort vergessen?“, um einen neuen zu erhalten.',
  },
  ja: {
    title: '新しいパスワードの設定',
    password: '新しいパスワード',
    done: 'パスワードを変更しました。新しいパスワードでアプリにサインインしてください。すべてのデバイスで再度サインインが必要です。',
    badLink:
      'このリンクは無効です。リンクは 1 回のみ、30 分間有効です。アプリの「パスワードをお忘れですか?」から新しいリンクを取得してください。',
  },
};

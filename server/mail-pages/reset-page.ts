/** The page on which somebody with the link from a mail sets a new password. */
import type { Language } from '../../shared/ipc/language.ts';
import type { MailPage } from './mail-page.ts';
import { createPasswordPage, type PasswordPageTexts } from './password-page.ts';

export function createResetPage(language: Language, minLength: number): MailPage {
  return createPasswordPage({ language, texts: chooseTexts(language, minLength), checksLinkFirst: false });
}

function chooseTexts(language: Language, minLength: number): PasswordPageTexts {
  switch (language) {
    case 'en':
      return {
        title: 'Set a new password',
        password: 'New password',
        hint: `At least ${minLength} characters. Several words in a row work well.`,
        button: 'Set password',
        done: 'Your password was changed. Sign in to the app with the new one; all devices have to sign in again.',
        badLink:
          'This link is no longer valid. A link works once, and for 30 minutes. Choose “Forgot password?” in the app to get a new one.',
        badPassword: `This password cannot be used. Choose one with at least ${minLength} characters that is not a common one and not your email address.`,
        tooMany: 'There were too many attempts. Wait a minute and try again.',
        failed: 'The server could not be reached. Try again.',
        noScript: 'This page needs JavaScript to set your password.',
      };
    case 'de':
      return {
        title: 'Neues Passwort festlegen',
        password: 'Neues Passwort',
        hint: `Mindestens ${minLength} Zeichen. Gut geeignet sind mehrere Wörter hintereinander.`,
        button: 'Passwort festlegen',
        done: 'Ihr Passwort wurde geändert. Melden Sie sich in der App mit dem neuen an; alle Geräte müssen sich neu anmelden.',
        badLink:
          'Dieser Link ist nicht mehr gültig. Ein Link funktioniert einmal und 30 Minuten lang. Wählen Sie in der App „Passwort vergessen?“, um einen neuen zu erhalten.',
        badPassword: `Dieses Passwort kann nicht verwendet werden. Wählen Sie eines mit mindestens ${minLength} Zeichen, das nicht weit verbreitet und nicht Ihre E-Mail-Adresse ist.`,
        tooMany: 'Es gab zu viele Versuche. Warten Sie eine Minute und versuchen Sie es noch einmal.',
        failed: 'Der Server ist nicht erreichbar. Versuchen Sie es noch einmal.',
        noScript: 'Diese Seite benötigt JavaScript, um Ihr Passwort festzulegen.',
      };
    case 'ja':
      return {
        title: '新しいパスワードの設定',
        password: '新しいパスワード',
        hint: `${minLength} 文字以上で入力してください。複数の単語を組み合わせると安全です。`,
        button: 'パスワードを設定',
        done: 'パスワードを変更しました。新しいパスワードでアプリにサインインしてください。すべてのデバイスで再度サインインが必要です。',
        badLink:
          'このリンクは無効です。リンクは 1 回のみ、30 分間有効です。アプリの「パスワードをお忘れですか?」から新しいリンクを取得してください。',
        badPassword: `このパスワードは使用できません。${minLength} 文字以上で、よく使われるものやメールアドレスと異なるパスワードを選んでください。`,
        tooMany: '試行回数が多すぎます。1 分ほど待ってからもう一度お試しください。',
        failed: 'サーバーに接続できませんでした。もう一度お試しください。',
        noScript: 'パスワードを設定するには JavaScript を有効にしてください。',
      };
  }
}

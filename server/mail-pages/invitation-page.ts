/** The page on which somebody who was invited chooses the first password of the account. */
import type { Language } from '../../shared/ipc/language.ts';
import type { MailPage } from './mail-page.ts';
import { createPasswordPage, type PasswordPageTexts } from './password-page.ts';

export function createInvitationPage(language: Language, minLength: number): MailPage {
  return createPasswordPage({ language, texts: chooseTexts(language, minLength), checksLinkFirst: true });
}

function chooseTexts(language: Language, minLength: number): PasswordPageTexts {
  switch (language) {
    case 'en':
      return {
        title: 'Choose a password',
        password: 'Password',
        hint: `At least ${minLength} characters. Several words in a row work well.`,
        button: 'Set password',
        done: 'Your account is ready. Sign in to the app with your email address and this password.',
        badLink:
          'This invitation is no longer valid. It works once, for 7 days, and only until you get a newer one. If you have chosen a password already, sign in to the app with it. If not, ask the person who invited you for a new invitation.',
        badPassword: `This password cannot be used. Choose one with at least ${minLength} characters that is not a common one and not your email address.`,
        tooMany: 'There were too many attempts. Wait a minute and try again.',
        failed: 'The server could not be reached. Try again.',
        noScript: 'This page needs JavaScript to set your password.',
      };
    case 'de':
      return {
        title: 'Passwort festlegen',
        password: 'Passwort',
        hint: `Mindestens ${minLength} Zeichen. Gut geeignet sind mehrere Wörter hintereinander.`,
        button: 'Passwort festlegen',
        done: 'Ihr Konto ist bereit. Melden Sie sich in der App mit Ihrer E-Mail-Adresse und diesem Passwort an.',
        badLink:
          'Diese Einladung ist nicht mehr gültig. Sie funktioniert einmal, 7 Tage lang und nur, solange Sie keine neuere erhalten. Wenn Sie bereits ein Passwort festgelegt haben, melden Sie sich damit in der App an. Wenn nicht, bitten Sie die Person, die Sie eingeladen hat, um eine neue Einladung.',
        badPassword: `Dieses Passwort kann nicht verwendet werden. Wählen Sie eines mit mindestens ${minLength} Zeichen, das nicht weit verbreitet und nicht Ihre E-Mail-Adresse ist.`,
        tooMany: 'Es gab zu viele Versuche. Warten Sie eine Minute und versuchen Sie es noch einmal.',
        failed: 'Der Server ist nicht erreichbar. Versuchen Sie es noch einmal.',
        noScript: 'Diese Seite benötigt JavaScript, um Ihr Passwort festzulegen.',
      };
    case 'ja':
      return {
        title: 'パスワードの設定',
        password: 'パスワード',
        hint: `${minLength} 文字以上で入力してください。複数の単語を組み合わせると安全です。`,
        button: 'パスワードを設定',
        done: 'アカウントの準備ができました。メールアドレスとこのパスワードでアプリにサインインしてください。',
        badLink:
          'この招待は無効です。招待は 1 回のみ、7 日間有効で、新しい招待が届くと無効になります。すでにパスワードを設定した場合は、そのパスワードでアプリにサインインしてください。まだの場合は、招待した方に新しい招待を依頼してください。',
        badPassword: `このパスワードは使用できません。${minLength} 文字以上で、よく使われるものやメールアドレスと異なるパスワードを選んでください。`,
        tooMany: '試行回数が多すぎます。1 分ほど待ってからもう一度お試しください。',
        failed: 'サーバーに接続できませんでした。もう一度お試しください。',
        noScript: 'パスワードを設定するには JavaScript を有効にしてください。',
      };
  }
}

/** The mail that tells the owner of an account that its password was changed, possibly by somebody else. */
import type { Language } from '../../shared/ipc/language.ts';
import { type Content, compose, composeInEveryLanguage, type MailOf } from './mail.ts';

type PasswordChanged = MailOf<'password_changed'>;

/**
 * Composes the mail, in every language if staff have set the password. It names the passkeys, because a new password
 * does not end them, and an API key that it did end.
 */
export function composePasswordChanged(mail: PasswordChanged): Content {
  const { language } = mail;
  return language === undefined ? composeInEveryLanguage((each) => composeIn(mail, each)) : composeIn(mail, language);
}

function composeIn({ email, passkeys = [], key_prefix: prefix }: PasswordChanged, language: Language): Content {
  const names = passkeys.join('\n');
  return {
    en: compose(
      'Your password was changed',
      `The password of the account ${email} was changed. Other devices have to sign in again.`,
      prefix &&
        `The API key ${prefix}… was revoked, because somebody who knew the old password may know it. If it is yours, generate a new one in the app and give it to your programs.`,
      names && 'These passkeys can still sign in to the admin page. If one of them is not yours, remove it there:',
      names,
      'If it was not you, choose “Forgot password?” on the sign-in screen now, and set a new one.',
    ),
    de: compose(
      'Ihr Passwort wurde geändert',
      `Das Passwort des Kontos ${email} wurde geändert. Andere Geräte müssen sich neu anmelden.`,
      prefix &&
        `Der API-Schlüssel ${prefix}… wurde widerrufen, weil ihn jemand kennen könnte, der das alte Passwort kannte. Wenn es Ihrer ist, erzeugen Sie in der App einen neuen und tragen Sie ihn in Ihren Programmen ein.`,
      names &&
        'Mit diesen Passkeys ist die Anmeldung bei der Verwaltung weiterhin möglich. Entfernen Sie dort jeden, der nicht Ihnen gehört:',
      names,
      'Wenn Sie das nicht waren, wählen Sie jetzt bei der Anmeldung „Passwort vergessen?“ und legen Sie ein neues fest.',
    ),
    ja: compose(
      'パスワードが変更されました',
      `アカウント ${email} のパスワードが変更されました。ほかのデバイスでは再度サインインが必要です。`,
      prefix &&
        `API キー ${prefix}… は、以前のパスワードを知っていた人に知られている可能性があるため、無効化されました。ご自身のキーであれば、アプリで新しいキーを生成し、お使いのプログラムに設定してください。`,
      names &&
        '次のパスキーでは引き続き管理ページにサインインできます。心当たりのないものは管理ページで削除してください。',
      names,
      '心当たりがない場合は、すぐにサインイン画面の「パスワードをお忘れですか？」から新しいパスワードを設定してください。',
    ),
  }[language];
}

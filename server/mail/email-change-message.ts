/** The mails to the old address when an address change is requested and when it is confirmed. */
import { type Content, compose, type MailOf } from './mail.ts';

type EmailChange = MailOf<'email_change_requested' | 'email_changed'>;

export function composeEmailChange(mail: EmailChange): Content {
  const { email, new_email: to, language } = mail;
  const isDone = mail.kind === 'email_changed';
  return {
    en: isDone
      ? compose(
          'Your email address was changed',
          to === undefined
            ? `The address of the account ${email} was changed. Sign in with the new one from now on.`
            : `The address of the account ${email} is now ${to}. Sign in with it from now on.`,
          'If it was not you, contact the person who issued your license.',
        )
      : compose(
          'Your email address is about to change',
          `Somebody who knows the password of the account ${email} wants to change its address${to === undefined ? '' : ` to ${to}`}. It changes once the new address is confirmed.`,
          'If it was not you, change your password now. That stops it.',
        ),
    de: isDone
      ? compose(
          'Ihre E-Mail-Adresse wurde geändert',
          to === undefined
            ? `Die Adresse des Kontos ${email} wurde geändert. Melden Sie sich ab sofort mit der neuen an.`
            : `Die Adresse des Kontos ${email} ist jetzt ${to}. Melden Sie sich ab sofort damit an.`,
          'Wenn Sie das nicht waren, wenden Sie sich an Ihren Lizenzgeber.',
        )
      : compose(
          'Ihre E-Mail-Adresse soll geändert werden',
          `Jemand, der das Passwort des Kontos ${email} kennt, möchte dessen Adresse ${to === undefined ? '' : `in ${to} `}ändern. Sie ändert sich, sobald die neue Adresse bestätigt ist.`,
          'Wenn Sie das nicht waren, ändern Sie jetzt Ihr Passwort. Das verhindert die Änderung.',
        ),
    ja: isDone
      ? compose(
          'メールアドレスが変更されました',
          to === undefined
            ? `アカウント ${email} のメールアドレスは変更されました。今後は新しいアドレスでサインインしてください。`
            : `アカウント ${email} のメールアドレスは ${to} に変更されました。今後はこのアドレスでサインインしてください。`,
          '心当たりがない場合は、ライセンスの発行者にお問い合わせください。',
        )
      : compose(
          'メールアドレス変更のリクエスト',
          `アカウント ${email} のメールアドレスを${to === undefined ? '' : ` ${to} に`}変更するリクエストがありました。新しいアドレスの確認後に変更されます。`,
          '心当たりがない場合は、すぐにパスワードを変更してください。変更は取り消されます。',
        ),
  }[language];
}

/**
 * Returns the new address if the mail to the old one may name it. Someone who signed up with another person's address
 * controls what that person reads there, and mail programs turn text such as `www.example.com/page` into a link.
 */
export function findNameableEmail(
  newEmail: string,
  { isConfirmed }: { readonly isConfirmed: boolean },
): string | undefined {
  return isConfirmed || /^[\w+-]+@/.test(newEmail) ? newEmail : undefined;
}

/** The mail to a buyer: the license key and, for an account without a password, the link to set one. */
import type { Language } from '../../shared/ipc/language.ts';
import { type Content, compose } from './compose.ts';
import type { Mail } from './mail.ts';
import { describeValidity } from './messages.ts';

type PurchaseMail = Extract<Mail, { kind: 'purchase' }>;

type Buyer = {
  readonly email: string;
  readonly hasPassword: boolean;
  /** The page to set a password, for an account without one. */
  readonly url: string | undefined;
};

export function composePurchase(mail: PurchaseMail, buyer: Buyer, language: Language): Content {
  const { license_key: key, plan, max_activations: devices } = mail;
  const validity = describeValidity({ ...mail, language });
  const signIn = describeSignIn(buyer, language);
  return {
    en: compose(
      'Your license key',
      'Thank you for your purchase. This is your license key:',
      key,
      `Plan: ${plan}\nDevices: ${devices}\nValid: ${validity}`,
      ...signIn,
      'Keep this mail. The key cannot be shown again. To use it, sign in to the app, open “Devices” and enter it there.',
    ),
    de: compose(
      'Ihr Lizenzschlüssel',
      'Vielen Dank für Ihren Kauf. Das ist Ihr Lizenzschlüssel:',
      key,
      `Tarif: ${plan}\nGeräte: ${devices}\nGültig: ${validity}`,
      ...signIn,
      'Bewahren Sie diese E-Mail auf. Der Schlüssel kann nicht noch einmal angezeigt werden. Melden Sie sich in der App an, öffnen Sie „Geräte“ und geben Sie ihn dort ein.',
    ),
    ja: compose(
      'ライセンスキーのお知らせ',
      'ご購入ありがとうございます。お客様のライセンスキーは次のとおりです。',
      key,
      `プラン: ${plan}\nデバイス数: ${devices}\n有効期限: ${validity}`,
      ...signIn,
      'キーは再表示できませんので、このメールを保管してください。アプリにサインインして「デバイス」を開き、キーを入力するとご利用いただけます。',
    ),
  }[language];
}

/**
 * Says how to sign in; empty for a buyer who already has a password. There is no link if the account has the maximum
 * number of them; the buyer can request one in the app.
 */
function describeSignIn({ email, hasPassword, url }: Buyer, language: Language): string[] {
  if (hasPassword) return [];
  return {
    en:
      url === undefined
        ? [`Your account is ${email}. To set its password, choose “Forgot password?” on the sign-in screen.`]
        : [`Your account is ${email}. To set its password, open this link within 7 days:`, url],
    de:
      url === undefined
        ? [`Ihr Konto ist ${email}. Um ein Passwort festzulegen, wählen Sie bei der Anmeldung „Passwort vergessen?“.`]
        : [`Ihr Konto ist ${email}. Öffnen Sie innerhalb von 7 Tagen diesen Link, um ein Passwort festzulegen:`, url],
    ja:
      url === undefined
        ? [
            `お客様のアカウントは ${email} です。サインイン画面の「パスワードをお忘れですか?」からパスワードを設定してください。`,
          ]
        : [`お客様のアカウントは ${email} です。7 日以内に次のリンクを開いて、パスワードを設定してください。`, url],
  }[language];
}

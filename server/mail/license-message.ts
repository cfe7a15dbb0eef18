/**
 * The mail with a license key. To a buyer, it also says how to sign in: an account without a password gets the link to
 * set one.
 */
import type { Language } from '../../shared/ipc/language.ts';
import { type Content, compose, type MailOf } from './mail.ts';
import { formatDate } from './messages.ts';

type LicenseMail = MailOf<'license' | 'purchase'>;

type Buyer = {
  readonly email: string;
  readonly hasPassword: boolean;
  /** The page to set a password, for an account without one. */
  readonly url: string | undefined;
};

export function composeLicense(mail: LicenseMail, language: Language, buyer?: Buyer): Content {
  const { license_key: key, plan, max_activations: devices } = mail;
  const validity = describeValidity(mail, language);
  const signIn = buyer ? describeSignIn(buyer, language) : [];
  return {
    en: compose(
      'Your license key',
      `${buyer ? 'Thank you for your purchase. ' : ''}This is your license key:`,
      key,
      `Plan: ${plan}\nDevices: ${devices}\nValid: ${validity}`,
      ...signIn,
      'Keep this mail. The key cannot be shown again. To use it, sign in to the app, open “Devices” and enter it there.',
    ),
    de: compose(
      'Ihr Lizenzschlüssel',
      `${buyer ? 'Vielen Dank für Ihren Kauf. ' : ''}Das ist Ihr Lizenzschlüssel:`,
      key,
      `Tarif: ${plan}\nGeräte: ${devices}\nGültig: ${validity}`,
      ...signIn,
      'Bewahren Sie diese E-Mail auf. Der Schlüssel kann nicht noch einmal angezeigt werden. Melden Sie sich in der App an, öffnen Sie „Geräte“ und geben Sie ihn dort ein.',
    ),
    ja: compose(
      'ライセンスキーのお知らせ',
      `${buyer ? 'ご購入ありがとうございます。' : ''}お客様のライセンスキーは次のとおりです。`,
      key,
      `プラン：${plan}\nデバイス数：${devices}\n有効期限：${validity}`,
      ...signIn,
      'キーは再表示できませんので、このメールを保管してください。アプリにサインインして「デバイス」を開き、キーを入力するとご利用いただけます。',
    ),
  }[language];
}

/** Says how long the license of a mail is valid. */
function describeValidity({ expires_at: ownEnd, subscription_until: until }: LicenseMail, language: Language): string {
  const ends = [ownEnd, until].filter((end) => typeof end === 'string').sort();
  const [end] = ends.map((time) => formatDate(time, language));
  const form = until === undefined ? 'alone' : until === null ? 'without subscription' : 'with subscription';
  return {
    en: {
      alone: end === undefined ? 'without an end' : `until ${end}`,
      'with subscription': `with your subscription, currently until ${end}`,
      'without subscription': 'while you have an active subscription, which you do not have now',
    }[form],
    de: {
      alone: end === undefined ? 'unbegrenzt' : `bis ${end}`,
      'with subscription': `mit Ihrem Abonnement, derzeit bis ${end}`,
      'without subscription': 'nur mit einem aktiven Abonnement, das Sie derzeit nicht haben',
    }[form],
    ja: {
      alone: end ?? 'なし',
      'with subscription': `サブスクリプションの有効期間中（現在は ${end} まで）`,
      'without subscription': 'サブスクリプションの有効期間中（現在、有効なサブスクリプションはありません）',
    }[form],
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
            `お客様のアカウントは ${email} です。サインイン画面の「パスワードをお忘れですか？」からパスワードを設定してください。`,
          ]
        : [`お客様のアカウントは ${email} です。7 日以内に次のリンクを開いて、パスワードを設定してください。`, url],
  }[language];
}

/** Texts of most mails, in each language. */
import type { Language } from '../../shared/ipc/language.ts';
import { type Content, compose, type MailOf } from './mail.ts';

/** Composes a mail with a link to set a new password, once and within 30 minutes. */
export function composeResetPassword(mail: { to: string; language: Language; url: string }): Content {
  const { to, language, url } = mail;
  return {
    en: compose(
      'Set a new password',
      `Somebody asked for a new password for the account ${to}. To set one, open this link within 30 minutes:`,
      url,
      'If it was not you, ignore this mail: your password stays as it is.',
    ),
    de: compose(
      'Neues Passwort festlegen',
      `Für das Konto ${to} wurde ein neues Passwort angefordert. Öffnen Sie innerhalb von 30 Minuten diesen Link, um es festzulegen:`,
      url,
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail: Ihr Passwort bleibt unverändert.',
    ),
    ja: compose(
      'パスワードの再設定',
      `アカウント ${to} のパスワード再設定のリクエストがありました。30 分以内に次のリンクを開いて、新しいパスワードを設定してください。`,
      url,
      '心当たりがない場合は、このメールを無視してください。パスワードは変更されません。',
    ),
  }[language];
}

/** Composes the mail to somebody who was invited, with a link to choose a password, once and within 7 days. */
export function composeInvitation(mail: { email: string; url: string }, language: Language): Content {
  const { email, url } = mail;
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

/** Composes a mail with a link that confirms that its reader owns the address, once and within a day. */
export function composeConfirmEmail(mail: { to: string; language: Language; url: string }): Content {
  const { to, language, url } = mail;
  return {
    en: compose(
      'Confirm your email address',
      `To confirm that ${to} is the address of your account, open this link within 24 hours:`,
      url,
      'If you did not expect this mail, you can ignore it.',
    ),
    de: compose(
      'Bestätigen Sie Ihre E-Mail-Adresse',
      `Öffnen Sie innerhalb von 24 Stunden diesen Link, um ${to} als Adresse Ihres Kontos zu bestätigen:`,
      url,
      'Wenn Sie davon nichts wissen, ignorieren Sie diese E-Mail.',
    ),
    ja: compose(
      'メールアドレスの確認',
      `${to} がお客様のアカウントのメールアドレスであることを確認するため、24 時間以内に次のリンクを開いてください。`,
      url,
      '心当たりがない場合は、このメールを無視してください。',
    ),
  }[language];
}

/** Notifies the owner, who may not have made the change, that the license key was replaced. Contains neither key. */
export function composeLicenseKeyReplaced({ email, language, plan }: MailOf<'license_key_replaced'>): Content {
  return {
    en: compose(
      'Your license key was replaced',
      `Your license for the plan ${plan} (account ${email}) has a new license key, and the old one no longer works.`,
      'Devices stay activated. Each of them asks for the new key the next time it reaches the server.',
      'If it was not you, set a new password and contact the person who issued your license.',
    ),
    de: compose(
      'Ihr Lizenzschlüssel wurde ersetzt',
      `Ihre Lizenz für den Tarif ${plan} (Konto ${email}) hat einen neuen Lizenzschlüssel, der alte gilt nicht mehr.`,
      'Geräte bleiben aktiviert. Jedes fragt nach dem neuen Schlüssel, sobald es den Server das nächste Mal erreicht.',
      'Wenn Sie das nicht waren, legen Sie ein neues Passwort fest und wenden Sie sich an Ihren Lizenzgeber.',
    ),
    ja: compose(
      'ライセンスキーが再発行されました',
      `アカウント ${email} の ${plan} プランのライセンスに新しいライセンスキーが発行され、以前のキーは使用できなくなりました。`,
      'デバイスの認証は維持されます。次回サーバーに接続した際に、各デバイスで新しいキーの入力が求められます。',
      '心当たりがない場合は、新しいパスワードを設定し、ライセンスの発行者にお問い合わせください。',
    ),
  }[language];
}

/** Composes the last mail to an account. */
export function composeAccountDeleted({ email, language }: MailOf<'account_deleted'>): Content {
  return {
    en: compose(
      'Your account was deleted',
      `The account ${email} was deleted, with its licenses, devices and API key, by somebody who was signed in and knew its password.`,
      'It cannot be restored. If it was not you, contact the person who issued your license.',
    ),
    de: compose(
      'Ihr Konto wurde gelöscht',
      `Das Konto ${email} wurde mit seinen Lizenzen, Geräten und seinem API-Schlüssel gelöscht, von jemandem, der angemeldet war und das Passwort kannte.`,
      'Es kann nicht wiederhergestellt werden. Wenn Sie das nicht waren, wenden Sie sich an Ihren Lizenzgeber.',
    ),
    ja: compose(
      'アカウントが削除されました',
      `アカウント ${email} は、ライセンス、デバイス、API キーとともに削除されました。サインイン済みでパスワードを知っている人が操作しました。`,
      '元に戻すことはできません。心当たりがない場合は、ライセンスの発行者にお問い合わせください。',
    ),
  }[language];
}

/** Formats the date in UTC. */
export function formatDate(iso: string, language: Language): string {
  return new Date(iso).toLocaleDateString(language, { dateStyle: 'long', timeZone: 'UTC' });
}

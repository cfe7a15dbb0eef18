/** The mail to a member of staff about a change to their access to the admin page. */
import type { StaffRole } from '../../shared/api/staff-role.ts';
import type { Language } from '../../shared/ipc/language.ts';
import { type Content, compose } from './compose.ts';
import type { Mail } from './mail.ts';

type StaffMail = Extract<Mail, { kind: 'staff_changed' }>;

export function composeStaffChanged({ email, change }: StaffMail, language: Language): Content {
  const { subject, text } = describe[language](email, change);
  return compose(subject, text, advice[language]);
}

const advice: Readonly<Record<Language, string>> = {
  en: 'If you did not expect this, tell an owner of the license server right away, and check your passkeys and sessions under “Your sign-in” on the admin page.',
  de: 'Wenn Sie das nicht erwartet haben, informieren Sie umgehend einen Inhaber des Lizenzservers und prüfen Sie in der Verwaltung unter „Ihre Anmeldung“ Ihre Passkeys und Sitzungen.',
  ja: '心当たりがない場合は、すぐにライセンスサーバーのオーナーに連絡し、管理ページの「サインイン設定」でパスキーとセッションを確認してください。',
};

const roles: Readonly<Record<Language, Readonly<Record<StaffRole, string>>>> = {
  en: { viewer: 'Viewer', support: 'Support', owner: 'Owner' },
  de: { viewer: 'Lesen', support: 'Support', owner: 'Inhaber' },
  ja: { viewer: '閲覧者', support: 'サポート', owner: 'オーナー' },
};

type Describe = (email: string, change: StaffMail['change']) => { readonly subject: string; readonly text: string };

const describe: Readonly<Record<Language, Describe>> = {
  en(email, change) {
    switch (change.kind) {
      case 'passkey_added':
        return {
          subject: 'A passkey was added to your account',
          text: `The passkey “${change.name}” was added to the account ${email}. Anyone who has it can sign in to the admin page of the license server.`,
        };
      case 'link_created':
        return {
          subject: 'A link to set your password was created',
          text: `A link was created with which a new password for the account ${email} can be set, once and within 24 hours. Anyone who uses it is then signed in to the admin page of the license server.`,
        };
      case 'password_set':
        return {
          subject: 'Your password was set by an owner',
          text: `An owner of the license server set a new password for the account ${email}. All its sessions have ended.`,
        };
      case 'role_set':
        return {
          subject: 'Your role on the admin page has changed',
          text: `The account ${email} now has the role “${roles.en[change.role]}” on the admin page of the license server.`,
        };
      case 'removed':
        return {
          subject: 'Your access to the admin page has ended',
          text: `The account ${email} can no longer use the admin page of the license server.`,
        };
    }
  },
  de(email, change) {
    switch (change.kind) {
      case 'passkey_added':
        return {
          subject: 'Ihrem Konto wurde ein Passkey hinzugefügt',
          text: `Dem Konto ${email} wurde der Passkey „${change.name}“ hinzugefügt. Damit ist die Anmeldung bei der Verwaltung des Lizenzservers möglich.`,
        };
      case 'link_created':
        return {
          subject: 'Ein Link zum Festlegen Ihres Passworts wurde erstellt',
          text: `Für das Konto ${email} wurde ein Link erstellt, mit dem sich einmalig und innerhalb von 24 Stunden ein neues Passwort festlegen lässt. Wer ihn verwendet, ist danach bei der Verwaltung des Lizenzservers angemeldet.`,
        };
      case 'password_set':
        return {
          subject: 'Ein Inhaber hat Ihr Passwort festgelegt',
          text: `Ein Inhaber des Lizenzservers hat für das Konto ${email} ein neues Passwort festgelegt. Alle Sitzungen des Kontos wurden beendet.`,
        };
      case 'role_set':
        return {
          subject: 'Ihre Rolle in der Verwaltung hat sich geändert',
          text: `Das Konto ${email} hat in der Verwaltung des Lizenzservers jetzt die Rolle „${roles.de[change.role]}“.`,
        };
      case 'removed':
        return {
          subject: 'Ihr Zugang zur Verwaltung wurde beendet',
          text: `Das Konto ${email} hat keinen Zugang mehr zur Verwaltung des Lizenzservers.`,
        };
    }
  },
  ja(email, change) {
    switch (change.kind) {
      case 'passkey_added':
        return {
          subject: 'アカウントにパスキーが追加されました',
          text: `アカウント ${email} にパスキー「${change.name}」が追加されました。このパスキーでライセンスサーバーの管理ページにサインインできます。`,
        };
      case 'link_created':
        return {
          subject: 'パスワード設定用のリンクが作成されました',
          text: `アカウント ${email} の新しいパスワードを設定できるリンクが作成されました。24 時間以内に 1 回だけ使用でき、使用するとライセンスサーバーの管理ページにサインインした状態になります。`,
        };
      case 'password_set':
        return {
          subject: 'オーナーがパスワードを設定しました',
          text: `ライセンスサーバーのオーナーが、アカウント ${email} に新しいパスワードを設定しました。このアカウントのセッションはすべて終了しました。`,
        };
      case 'role_set':
        return {
          subject: '管理ページでの役割が変更されました',
          text: `ライセンスサーバーの管理ページで、アカウント ${email} の役割が「${roles.ja[change.role]}」になりました。`,
        };
      case 'removed':
        return {
          subject: '管理ページを利用できなくなりました',
          text: `アカウント ${email} では、ライセンスサーバーの管理ページを利用できなくなりました。`,
        };
    }
  },
};

/** The mail to a member of staff about a change to their access to the admin page. */
import type { StaffRole } from '../../shared/api/staff-role.ts';
import type { Language } from '../../shared/ipc/language.ts';
import { type Content, compose, type MailOf } from './mail.ts';

type StaffMail = MailOf<'staff_changed'>;

export function composeStaffChanged({ email, change }: StaffMail, language: Language): Content {
  const name = 'name' in change ? change.name : '';
  const role = 'role' in change ? roles[language][change.role] : '';
  const texts = {
    en: {
      passkey_added: [
        'A passkey was added to your account',
        `The passkey “${name}” was added to the account ${email}. Anyone who has it can sign in to the admin page of the license server.`,
      ],
      link_created: [
        'A link to set your password was created',
        `A link was created with which a new password for the account ${email} can be set, once and within 24 hours. Anyone who uses it is then signed in to the admin page of the license server.`,
      ],
      password_set: [
        'Your password was set by an owner',
        `An owner of the license server set a new password for the account ${email}. All its sessions have ended.`,
      ],
      role_set: [
        'Your role on the admin page has changed',
        `The account ${email} now has the role “${role}” on the admin page of the license server.`,
      ],
      removed: [
        'Your access to the admin page has ended',
        `The account ${email} can no longer use the admin page of the license server.`,
      ],
    },
    de: {
      passkey_added: [
        'Ihrem Konto wurde ein Passkey hinzugefügt',
        `Dem Konto ${email} wurde der Passkey „${name}“ hinzugefügt. Damit ist die Anmeldung bei der Verwaltung des Lizenzservers möglich.`,
      ],
      link_created: [
        'Ein Link zum Festlegen Ihres Passworts wurde erstellt',
        `Für das Konto ${email} wurde ein Link erstellt, mit dem sich einmalig und innerhalb von 24 Stunden ein neues Passwort festlegen lässt. Wer ihn verwendet, ist danach bei der Verwaltung des Lizenzservers angemeldet.`,
      ],
      password_set: [
        'Ein Inhaber hat Ihr Passwort festgelegt',
        `Ein Inhaber des Lizenzservers hat für das Konto ${email} ein neues Passwort festgelegt. Alle Sitzungen des Kontos wurden beendet.`,
      ],
      role_set: [
        'Ihre Rolle in der Verwaltung hat sich geändert',
        `Das Konto ${email} hat in der Verwaltung des Lizenzservers jetzt die Rolle „${role}“.`,
      ],
      removed: [
        'Ihr Zugang zur Verwaltung wurde beendet',
        `Das Konto ${email} hat keinen Zugang mehr zur Verwaltung des Lizenzservers.`,
      ],
    },
    ja: {
      passkey_added: [
        'アカウントにパスキーが追加されました',
        `アカウント ${email} にパスキー「${name}」が追加されました。このパスキーでライセンスサーバーの管理ページにサインインできます。`,
      ],
      link_created: [
        'パスワード設定用のリンクが作成されました',
        `アカウント ${email} の新しいパスワードを設定できるリンクが作成されました。24 時間以内に 1 回だけ使用でき、使用するとライセンスサーバーの管理ページにサインインした状態になります。`,
      ],
      password_set: [
        'オーナーがパスワードを設定しました',
        `ライセンスサーバーのオーナーが、アカウント ${email} に新しいパスワードを設定しました。このアカウントのセッションはすべて終了しました。`,
      ],
      role_set: [
        '管理ページでの役割が変更されました',
        `ライセンスサーバーの管理ページで、アカウント ${email} の役割が「${role}」になりました。`,
      ],
      removed: [
        '管理ページを利用できなくなりました',
        `アカウント ${email} では、ライセンスサーバーの管理ページを利用できなくなりました。`,
      ],
    },
  } as const;
  const [subject, text] = texts[language][change.kind];
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

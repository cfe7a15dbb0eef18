/** The pages on which somebody with a link sets a password: a new one, or the first one of an account. */
import type { Language } from '../../shared/ipc/language.ts';
import { escapeHtml } from '../escape-html.ts';
import type { MailPage } from './mail-page.ts';

/** What differs between the pages. */
type PasswordPageTexts = {
  readonly title: string;
  /** Label of the field. */
  readonly password: string;
  readonly done: string;
  readonly badLink: string;
};

type PasswordPage = {
  readonly language: Language;
  readonly minLength: number;
  readonly texts: PasswordPageTexts;
  /** True to report an invalid link as soon as the page opens, rather than after a password was chosen. */
  readonly checksLinkFirst: boolean;
};

/** The page on which somebody with the link from a mail sets a new password. */
export function createResetPage(language: Language, minLength: number): MailPage {
  return createPasswordPage({ language, minLength, texts: resetTexts[language], checksLinkFirst: false });
}

/** The page on which somebody who was invited chooses the first password of the account. */
export function createInvitationPage(language: Language, minLength: number): MailPage {
  return createPasswordPage({ language, minLength, texts: invitationTexts[language], checksLinkFirst: true });
}

const resetTexts: Record<Language, PasswordPageTexts> = {
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
      'このリンクは無効です。リンクは 1 回のみ、30 分間有効です。アプリの「パスワードをお忘れですか？」から新しいリンクを取得してください。',
  },
};

const invitationTexts: Record<Language, PasswordPageTexts> = {
  en: {
    title: 'Choose a password',
    password: 'Password',
    done: 'Your account is ready. Sign in to the app with your email address and this password.',
    badLink:
      'This invitation is no longer valid. It works once, for 7 days, and only until you get a newer one. If you have chosen a password already, sign in to the app with it. If not, ask the person who invited you for a new invitation.',
  },
  de: {
    title: 'Passwort festlegen',
    password: 'Passwort',
    done: 'Ihr Konto ist bereit. Melden Sie sich in der App mit Ihrer E-Mail-Adresse und diesem Passwort an.',
    badLink:
      'Diese Einladung ist nicht mehr gültig. Sie funktioniert einmal, 7 Tage lang und nur, solange Sie keine neuere erhalten. Wenn Sie bereits ein Passwort festgelegt haben, melden Sie sich damit in der App an. Wenn nicht, bitten Sie die Person, die Sie eingeladen hat, um eine neue Einladung.',
  },
  ja: {
    title: 'パスワードの設定',
    password: 'パスワード',
    done: 'アカウントの準備ができました。メールアドレスとこのパスワードでアプリにサインインしてください。',
    badLink:
      'この招待は無効です。招待は 1 回のみ、7 日間有効で、新しい招待が届くと無効になります。すでにパスワードを設定した場合は、そのパスワードでアプリにサインインしてください。まだの場合は、招待した方に新しい招待を依頼してください。',
  },
};

function createPasswordPage({ language, minLength, texts, checksLinkFirst }: PasswordPage): MailPage {
  const common = commonTexts(language, minLength);
  const form = `<label for="password">${escapeHtml(texts.password)}</label>
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus aria-describedby="hint">
<p class="hint" id="hint">${escapeHtml(common.hint)}</p>
<button type="submit">${escapeHtml(common.button)}</button>`;
  const { title, done, badLink } = texts;
  const { badPassword, tooMany, failed, noScript } = common;
  const script = checksLinkFirst ? setPassword + checkLink : setPassword;
  return { language, title, form, texts: { done, badLink, badPassword, tooMany, failed }, script, noScript };
}

function commonTexts(language: Language, minLength: number) {
  return {
    en: {
      hint: `At least ${minLength} characters. Several words in a row work well.`,
      button: 'Set password',
      badPassword: `This password cannot be used. Choose one with at least ${minLength} characters that is not a common one and not your email address.`,
      tooMany: 'There were too many attempts. Wait a minute and try again.',
      failed: 'The server could not be reached. Try again.',
      noScript: 'This page needs JavaScript to set your password.',
    },
    de: {
      hint: `Mindestens ${minLength} Zeichen. Gut geeignet sind mehrere Wörter hintereinander.`,
      button: 'Passwort festlegen',
      badPassword: `Dieses Passwort kann nicht verwendet werden. Wählen Sie eines mit mindestens ${minLength} Zeichen, das nicht weit verbreitet und nicht Ihre E-Mail-Adresse ist.`,
      tooMany: 'Es gab zu viele Versuche. Warten Sie eine Minute und versuchen Sie es noch einmal.',
      failed: 'Der Server ist nicht erreichbar. Versuchen Sie es noch einmal.',
      noScript: 'Diese Seite benötigt JavaScript, um Ihr Passwort festzulegen.',
    },
    ja: {
      hint: `${minLength} 文字以上で入力してください。複数の単語を組み合わせると安全です。`,
      button: 'パスワードを設定',
      badPassword: `このパスワードは使用できません。${minLength} 文字以上で、よく使われるものやメールアドレスと異なるパスワードを選んでください。`,
      tooMany: '試行回数が多すぎます。1 分ほど待ってからもう一度お試しください。',
      failed: 'サーバーに接続できませんでした。もう一度お試しください。',
      noScript: 'パスワードを設定するには JavaScript を有効にしてください。',
    },
  }[language];
}

const setPassword = `
const reset = (password) => post('api/v1/auth/password/reset', { new_password: password });
async function send() {
  const response = await reset(form.elements.password.value);
  if (response.ok) return end(texts.done, false);
  if (response.status === 401) return end(texts.badLink, true);
  show(response.status === 400 ? texts.badPassword : response.status === 429 ? texts.tooMany : texts.failed, true);
}
`;

/**
 * Checks the link with an empty password. No account can have one, so this does not use up the link; an invalid link is
 * refused before the password is checked.
 */
const checkLink = `
if (token) reset('').then(({ status }) => status === 401 && end(texts.badLink, true), () => undefined);
`;

/** The page on which somebody with the link from a mail sets a new password. */
import type { Language } from '../../shared/ipc/language.ts';
import { escapeHtml, type MailPage, toScriptJson } from './mail-page.ts';

type Texts = {
  readonly title: string;
  readonly password: string;
  readonly hint: string;
  readonly button: string;
  readonly done: string;
  readonly badLink: string;
  readonly badPassword: string;
  readonly tooMany: string;
  readonly failed: string;
  readonly noScript: string;
};

export function createResetPage(language: Language, minLength: number): MailPage {
  const texts = chooseTexts(language, minLength);
  const content = `<form id="form">
<label for="password">${escapeHtml(texts.password)}</label>
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus aria-describedby="hint">
<p class="hint" id="hint">${escapeHtml(texts.hint)}</p>
<button type="submit">${escapeHtml(texts.button)}</button>
</form>
<p id="message" role="alert"></p>`;
  return { language, title: texts.title, content, script: createScript(texts), noScript: texts.noScript };
}

/** The token leaves the address bar, and with it the history of the browser, as soon as the page has read it. */
function createScript({ done, badLink, badPassword, tooMany, failed }: Texts): string {
  return `
const texts = ${toScriptJson({ done, badLink, badPassword, tooMany, failed })};
const token = new URLSearchParams(location.hash.slice(1)).get('token');
history.replaceState(null, '', location.pathname);
const form = document.getElementById('form');
const message = document.getElementById('message');
const button = form.querySelector('button');
function show(text, isFailed) {
  message.className = isFailed ? 'failed' : '';
  message.textContent = text;
}
function end(text, isFailed) {
  form.hidden = true;
  show(text, isFailed);
}
async function send(password) {
  const response = await fetch('api/v1/auth/password/reset', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, new_password: password }),
  });
  if (response.ok) return end(texts.done, false);
  if (response.status === 401) return end(texts.badLink, true);
  show(response.status === 400 ? texts.badPassword : response.status === 429 ? texts.tooMany : texts.failed, true);
}
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  show('', false);
  try {
    await send(form.elements.password.value);
  } catch {
    show(texts.failed, true);
  }
  button.disabled = false;
});
if (!token) end(texts.badLink, true);
`;
}

function chooseTexts(language: Language, minLength: number): Texts {
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

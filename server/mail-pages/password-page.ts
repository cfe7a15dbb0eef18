/** A page on which somebody with a link sets a password: a new one, or the first one of an account. */
import type { Language } from '../../shared/ipc/language.ts';
import { escapeHtml, type MailPage, toScriptJson } from './mail-page.ts';

export type PasswordPageTexts = {
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

type PasswordPage = {
  readonly language: Language;
  readonly texts: PasswordPageTexts;
  /** Whether the page says at once that its link is no longer valid, rather than once a password was chosen. */
  readonly checksLinkFirst: boolean;
};

export function createPasswordPage({ language, texts, checksLinkFirst }: PasswordPage): MailPage {
  const content = `<form id="form">
<label for="password">${escapeHtml(texts.password)}</label>
<input id="password" name="password" type="password" autocomplete="new-password" required autofocus aria-describedby="hint">
<p class="hint" id="hint">${escapeHtml(texts.hint)}</p>
<button type="submit">${escapeHtml(texts.button)}</button>
</form>
<p id="message" role="alert"></p>`;
  const script = createScript(texts) + (checksLinkFirst ? checkLink : '');
  return { language, title: texts.title, content, script, noScript: texts.noScript };
}

/** The token leaves the address bar, and with it the history of the browser, as soon as the page has read it. */
function createScript({ done, badLink, badPassword, tooMany, failed }: PasswordPageTexts): string {
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
function post(password) {
  return fetch('api/v1/auth/password/reset', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, new_password: password }),
  });
}
async function send(password) {
  const response = await post(password);
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

/** No account can have an empty password, so this uses no link; a link that is not valid is refused before the password is. */
const checkLink = `
if (token) post('').then(({ status }) => status === 401 && end(texts.badLink, true), () => undefined);
`;

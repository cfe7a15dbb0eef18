/** A small page of the server: its HTML, and a policy that allows only its own style and script. */
import { hash } from 'node:crypto';
import type { Language } from '../../shared/ipc/language.ts';
import { escapeHtml } from '../escape-html.ts';

export type MailPage = {
  readonly language: Language;
  readonly title: string;
  /** HTML of the form, which has a button. */
  readonly form: string;
  /** Texts for the script. */
  readonly texts: Readonly<Record<string, string>> & { readonly badLink: string; readonly failed: string };
  /** Defines `send`, which sends what the page is for. It can use what the start of the script defines. */
  readonly script: string;
  /** Shown where scripts do not run. */
  readonly noScript: string;
};

export function createMailPage({ language, title, form, texts, script: ownScript, noScript }: MailPage) {
  const script = `
const texts = ${toScriptJson(texts)};${scriptStart}${ownScript}`;
  const html = `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${logo}
<h1>${escapeHtml(title)}</h1>
<noscript><p>${escapeHtml(noScript)}</p></noscript>
<form id="form">
${form}
</form>
<p id="message" role="alert"></p>
</main>
<script>${script}</script>
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `style-src ${hashSource(style)}`,
    `script-src ${hashSource(script)}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, policy };
}

function hashSource(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}

/** Returns the value as JSON that is safe as the text of a script element. */
function toScriptJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/**
 * The start of each page's script. It removes the token from the address bar, and so from the browser history, as soon
 * as it has read it.
 */
const scriptStart = `
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
function post(path, body) {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...body }),
  });
}
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  show('', false);
  try {
    await send();
  } catch {
    show(texts.failed, true);
  }
  button.disabled = false;
});
if (!token) end(texts.badLink, true);
`;

/** Icon of the app, for decoration. */
const logo = `<svg viewBox="0 0 24 24" width="32" height="32" aria-hidden="true"><path fill="#4350c8" d="M12 1.5 22.5 12 12 22.5 1.5 12Z"/><g fill="#fff"><circle cx="12" cy="10.2" r="2.4"/><path d="M10.9 11.5h2.2l.7 5h-3.6Z"/></g></svg>`;

/** Styles, in the colors of the app (`renderer/styles/tokens.css`). */
const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif;
  --text: light-dark(oklch(0.245 0.02 265), oklch(0.945 0.006 265)); --text-soft: light-dark(oklch(0.475 0.02 265), oklch(0.745 0.014 265));
  --accent: light-dark(oklch(0.5 0.19 272), oklch(0.55 0.18 272)); --focus: light-dark(oklch(0.47 0.19 272), oklch(0.785 0.11 272)); }
body { margin: 0; min-height: 100vh; display: grid; place-items: center;
  background: light-dark(oklch(0.955 0.006 265), oklch(0.175 0.012 265)); color: var(--text); }
main { box-sizing: border-box; width: min(400px, 100vw - 32px); margin: 16px; padding: 24px; border-radius: 10px;
  border: 1px solid light-dark(oklch(0.905 0.008 265), oklch(0.315 0.014 265)); background: light-dark(white, oklch(0.245 0.014 265)); }
main > svg { display: block; margin: 0 0 12px; }
h1 { margin: 0 0 16px; font-size: 20px; line-height: 1.3; }
p { margin: 0 0 16px; }
label { display: block; margin-bottom: 4px; font-weight: 600; }
input { box-sizing: border-box; width: 100%; min-height: 40px; padding: 8px 12px; font: inherit; border-radius: 6px;
  border: 1px solid light-dark(oklch(0.6 0.02 265), oklch(0.57 0.02 265)); background: transparent; color: inherit; }
.hint { margin: 4px 0 16px; font-size: 13px; color: var(--text-soft); }
button { min-height: 40px; padding: 8px 16px; font: inherit; font-weight: 600; border: 0; border-radius: 6px; cursor: pointer;
  background: var(--accent); color: oklch(0.995 0 0); }
button:disabled { opacity: 0.6; cursor: default; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
#message { margin: 16px 0 0; overflow-wrap: anywhere; }
#message:empty { display: none; }
#message.failed { color: light-dark(oklch(0.48 0.18 25), oklch(0.78 0.13 25)); }
`;

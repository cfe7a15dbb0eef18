/** The page for confirming an email address with a mailed link. */
import type { Language } from '../../shared/ipc/language.ts';
import { escapeHtml } from '../escape-html.ts';
import type { MailPage } from './mail-page.ts';

/** Creates the page. It has a button, because programs that check mail open the links in it. */
export function createConfirmPage(language: Language): MailPage {
  const texts = chooseTexts(language);
  const form = `<p>${escapeHtml(texts.text)}</p>
<button type="submit" id="confirm">${escapeHtml(texts.button)}</button>`;
  const { title, done, badLink, taken, failed, noScript } = texts;
  return { language, title, form, texts: { done, badLink, taken, failed }, script, noScript };
}

const script = `
async function send() {
  const response = await post('api/v1/auth/email/confirm');
  if (response.ok) {
    const { email } = await response.json();
    // A function, because $ is special in a replacement text.
    return end(texts.done.replace('{email}', () => email), false);
  }
  if (response.status === 401) return end(texts.badLink, true);
  if (response.status === 409) return end(texts.taken, true);
  show(texts.failed, true);
}
`;

function chooseTexts(language: Language) {
  return {
    en: {
      title: 'Confirm your email address',
      text: 'This confirms that the mail with the link came to you.',
      button: 'Confirm',
      done: '{email} is confirmed. You can close this page.',
      badLink: 'This link is no longer valid. A link works once, and for 24 hours. Ask for a new one.',
      taken: 'Another account has this email address by now, so nothing was changed.',
      failed: 'The server could not be reached. Wait a moment and try again.',
      noScript: 'This page needs JavaScript to confirm your address.',
    },
    de: {
      title: 'E-Mail-Adresse bestätigen',
      text: 'Damit bestätigen Sie, dass die E-Mail mit dem Link bei Ihnen angekommen ist.',
      button: 'Bestätigen',
      done: '{email} ist bestätigt. Sie können diese Seite schließen.',
      badLink:
        'Dieser Link ist nicht mehr gültig. Ein Link funktioniert einmal und 24 Stunden lang. Fordern Sie einen neuen an.',
      taken: 'Inzwischen hat ein anderes Konto diese E-Mail-Adresse, deshalb wurde nichts geändert.',
      failed: 'Der Server ist nicht erreichbar. Warten Sie einen Moment und versuchen Sie es noch einmal.',
      noScript: 'Diese Seite benötigt JavaScript, um Ihre Adresse zu bestätigen.',
    },
    ja: {
      title: 'メールアドレスの確認',
      text: 'リンクの記載されたメールがお客様に届いたことを確認します。',
      button: '確認する',
      done: '{email} を確認しました。このページを閉じてかまいません。',
      badLink: 'このリンクは無効です。リンクは 1 回のみ、24 時間有効です。新しいリンクを取得してください。',
      taken: 'このメールアドレスはすでにほかのアカウントで使用されているため、変更されませんでした。',
      failed: 'サーバーに接続できませんでした。しばらくしてからもう一度お試しください。',
      noScript: 'アドレスを確認するには JavaScript を有効にしてください。',
    },
  }[language];
}

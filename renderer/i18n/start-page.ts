/** Starts a page once its messages are loaded. */
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { type Language, languages } from '../../shared/ipc/language.ts';
import type { MessageLoader } from './shared-messages.ts';

/** Shown if not one language can be loaded. */
const notLoaded = [
  'Latchkey could not be loaded. Reload this page.',
  'Latchkey konnte nicht geladen werden. Laden Sie diese Seite neu.',
  'Latchkey を読み込めませんでした。このページを再読み込みしてください。',
];

/** Renders the page in its language, or in any other if that cannot be loaded; the page then says so itself. */
export async function startPage(messages: MessageLoader, language: Language, page: ReactNode): Promise<void> {
  const root = document.getElementById('window');
  if (root === null) throw new Error('the page has no #window');
  for (const each of [language, ...languages]) {
    if (await messages.load(each).catch(() => null)) return createRoot(root).render(page);
  }
  root.textContent = notLoaded.join(' ');
}

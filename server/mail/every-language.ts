/** Mails to somebody whose language nobody knows: the same in each language, one after the other. */
import { type Language, languages } from '../../shared/ipc/language.ts';
import type { Message } from './mail.ts';

export type Part = { readonly subject: string; readonly paragraphs: readonly string[] };

export function composeInEveryLanguage(composePart: (language: Language) => Part): Omit<Message, 'to'> {
  const parts = languages.map(composePart);
  return {
    subject: parts.map(({ subject }) => subject).join(' / '),
    text: `${parts.map(({ paragraphs }) => paragraphs.join('\n\n')).join('\n\n---\n\n')}\n`,
  };
}

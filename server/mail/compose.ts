/** Composes a mail from a subject and paragraphs, in one language or in all of them. */
import { type Language, languages } from '../../shared/ipc/language.ts';
import type { Message } from './mail.ts';

export type Content = Omit<Message, 'to'>;

export function compose(subject: string, ...paragraphs: readonly string[]): Content {
  return { subject, text: `${paragraphs.join('\n\n')}\n` };
}

/**
 * Composes a mail in all languages, one after the other, because no request tells which language the recipient speaks.
 */
export function composeInEveryLanguage(composeIn: (language: Language) => Content): Content {
  const contents = languages.map(composeIn);
  return {
    subject: contents.map(({ subject }) => subject).join(' / '),
    text: contents.map(({ text }) => text).join('\n---\n\n'),
  };
}

/** Chooses the language of the server's own texts from the Accept-Language header (RFC 9110, section 12.5.4). */
import Negotiator from 'negotiator';
import { type Language, languages } from '../shared/ipc/language.ts';

export type { Language };

const maxLength = 500;

/** Returns the client's preferred language among those that we have; English if it accepts none of them. */
export function chooseLanguage(header?: string): Language {
  return chooseAmong(languages, header) ?? 'en';
}

/** Returns the client's preferred language among those available; `undefined` if it accepts none of them. */
export function chooseAmong<L extends string>(available: readonly L[], header = ''): L | undefined {
  const negotiator = new Negotiator({ headers: { 'accept-language': header.slice(0, maxLength) } });
  const [wanted] = negotiator.languages([...available]);
  return available.find((language) => language === wanted);
}

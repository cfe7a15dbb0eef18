/** The language of what the server itself says to people, from the header Accept-Language (RFC 9110, section 12.5.4). */
import Negotiator from 'negotiator';
import { type Language, languages } from '../shared/ipc/language.ts';

export type { Language };

const maxLength = 500;

/** The language that the client wants most of those that we have; English if it wants none of them. */
export function chooseLanguage(header?: string): Language {
  return chooseAmong(languages, header) ?? 'en';
}

/** The language that the client wants most of those available; `undefined` if it wants none of them. */
export function chooseAmong<L extends string>(available: readonly L[], header = ''): L | undefined {
  const negotiator = new Negotiator({ headers: { 'accept-language': header.slice(0, maxLength) } });
  const [wanted] = negotiator.languages([...available]);
  return available.find((language) => language === wanted);
}

/** Chooses the language of the server's own texts from the Accept-Language header (RFC 9110, section 12.5.4). */
import Negotiator from 'negotiator';
import { type Language, languages } from '../shared/ipc/language.ts';

/** Browsers send at most about 200 characters. A longer text would only cost time. */
const maxLength = 200;

/** Returns the client's preferred language among those that we have; English if it accepts none of them. */
export function chooseLanguage(header?: string): Language {
  return rankLanguages(languages, header)[0] ?? 'en';
}

/** Returns those of the available languages that the client accepts, the preferred one first. */
export function rankLanguages<L extends string>(available: readonly L[], header = ''): L[] {
  const negotiator = new Negotiator({ headers: { 'accept-language': header.slice(0, maxLength) } });
  return negotiator.languages([...available]) as L[];
}

/** The language of what the server itself says to people, from the header Accept-Language (RFC 9110, section 12.5.4). */
import { type Language, languages } from '../shared/ipc/language.ts';

export type { Language };

const maxLength = 500;

/** The language that the client wants most of those that we have; English if it wants none of them. */
export function chooseLanguage(header = ''): Language {
  const wanted = header
    .slice(0, maxLength)
    .split(',')
    .map((part) => {
      const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const quality = Number(parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1);
      return { language: languages.find((language) => language === range.split('-')[0]), quality };
    })
    .filter(({ language, quality }) => language !== undefined && quality > 0);
  const best = wanted.reduce((first, next) => (next.quality > first.quality ? next : first), wanted[0] ?? noWish);
  return best.language ?? 'en';
}

const noWish: { readonly language: Language | undefined; readonly quality: number } = { language: 'en', quality: 0 };

/** Texts that an admin writes in several languages. */

/** A text by language tag (RFC 5646, such as `de` or `pt-BR`), always in English. */
export type LocalizedText = { readonly en: string } & { readonly [language: string]: string };

export const maxLanguages = 30;

/** Whether it is a language tag as Unicode writes it: `pt-BR`, not `pt_br`. */
export function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text)[0] === text;
  } catch {
    return false;
  }
}

/** Texts that an admin provides in several languages. */

/** A text by language tag (RFC 5646, such as `de` or `pt-BR`); English is required. */
export type LocalizedText = { readonly en: string } & { readonly [language: string]: string };

export const maxLanguages = 30;

/** Returns whether the text is a canonical Unicode language tag: `pt-BR`, not `pt_br`. */
export function isLanguageTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text)[0] === text;
  } catch {
    return false;
  }
}

/** Searches displayed text. */

/** Returns whether the text contains the part, ignoring case, accents and, in Japanese, the kind of kana. */
export function containsText(text: string, part: string, locale: string): boolean {
  const { compare } = new Intl.Collator(locale, { usage: 'search', sensitivity: 'base' });
  const starts = Array.from({ length: Math.max(0, text.length - part.length + 1) }, (_, start) => start);
  return starts.some((start) => compare(text.slice(start, start + part.length), part) === 0);
}

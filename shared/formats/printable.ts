/** Makes untrusted text, such as names, safe to print by escaping characters that a terminal would interpret. */

/** Escapes control and direction characters, other line breaks and the zero-width space as `\u001b`. */
export function toPrintable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Returns one line of JSON. Escaped characters occur only inside strings, in JSON's own notation, so the value is the
 * same.
 */
export function toPrintableJson(value: unknown): string {
  return toPrintable(JSON.stringify(value));
}

/** Returns the value with all its texts, including field names, made safe to print. */
export function withPrintableTexts(value: unknown): unknown {
  if (typeof value === 'string') return toPrintable(value);
  if (Array.isArray(value)) return value.map(withPrintableTexts);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [toPrintable(name), withPrintableTexts(field)]);
  return Object.fromEntries(fields);
}

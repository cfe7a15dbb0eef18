/** Text of others, such as names, made safe to print: characters that a terminal would act on are escaped. */

/** Control and direction characters, other line breaks and the invisible space as `\u001b`. */
export function toPrintable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** JSON in one line. What is escaped stands in strings only and is escaped as JSON has it, so the document is the same. */
export function toPrintableJson(value: unknown): string {
  return toPrintable(JSON.stringify(value));
}

/** The same value with each of its texts, also the names of its fields, made safe to print. */
export function withPrintableTexts(value: unknown): unknown {
  if (typeof value === 'string') return toPrintable(value);
  if (Array.isArray(value)) return value.map(withPrintableTexts);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([name, field]) => [toPrintable(name), withPrintableTexts(field)]);
  return Object.fromEntries(fields);
}

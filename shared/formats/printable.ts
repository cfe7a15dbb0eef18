/** Text of others, such as names, made safe to print: characters that a terminal would act on are escaped. */

/** Control and direction characters as `\u001b`. */
export function toPrintable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

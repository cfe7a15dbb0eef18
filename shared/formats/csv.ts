/** Makes untrusted text safe in CSV files (RFC 4180) opened in a spreadsheet. */

/**
 * Where a spreadsheet interprets text as a formula (owasp.org/www-community/attacks/CSV_Injection): at the start of a
 * cell, and after characters that separate cells in other locales or formats, however the file quotes them. The
 * lookahead comes first, so that a run of white space is read only once.
 */
const formula = /(?=[=+\-@＝＋－＠﹢﹣﹦﹫])(?<=(?:^|[;\t\r\n])[\s\p{C}"']*)|^(?=[\t\r\n])/gu;

/** Returns the text with an apostrophe before everything that a spreadsheet would run. */
export function escapeFormulas(text: string): string {
  return text.replace(formula, "'");
}

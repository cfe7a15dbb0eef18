/** Text from somebody else in a CSV file (RFC 4180) that a spreadsheet opens. */

/**
 * Where a spreadsheet takes text for a formula (owasp.org/www-community/attacks/CSV_Injection): at the beginning of a cell,
 * and after what separates cells in other languages or formats, whatever quotes the file has.
 */
const formula = /(^|[;\t\r\n])(?=[\s\p{C}"']*[=+\-@＝＋－＠﹢﹣﹦﹫]|(?<=^)[\t\r\n])/gu;

/** The text with an apostrophe in front of all that a spreadsheet would run. */
export function escapeFormulas(text: string): string {
  return text.replace(formula, "$1'");
}

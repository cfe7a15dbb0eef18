/** CSV files (RFC 4180) that a spreadsheet opens without running what somebody else typed. */
import { escapeFormulas } from '../../shared/formats/csv.ts';

/** Without it, Excel takes UTF-8 for the encoding of the system. */
const byteOrderMark = '\ufeff';

/** The beginning of a file: the byte order mark and the header. */
export function formatHeader(columns: readonly string[]): string {
  return byteOrderMark + formatLine(columns);
}

/** A row, in the order of the columns. */
export function formatRow<Row extends object>(row: Row, columns: readonly (keyof Row & string)[]): string {
  return formatLine(columns.map((column) => toText(row[column])));
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function formatLine(cells: readonly string[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`;
}

function formatCell(text: string): string {
  const safe = escapeFormulas(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

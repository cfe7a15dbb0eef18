/** CSV files (RFC 4180) that a spreadsheet opens without running what somebody else typed. */
import { type Options, stringify } from 'csv-stringify/sync';
import { escapeFormulas } from '../../shared/formats/csv.ts';

/** The library escapes by the first character of a cell only. */
const options: Options = {
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  cast: {
    string: escapeFormulas,
    object: (value) => escapeFormulas(JSON.stringify(value)),
    boolean: String,
  },
};

/** The beginning of a file: the header, after a byte order mark, without which Excel takes UTF-8 for another encoding. */
export function formatHeader(columns: readonly string[]): string {
  return stringify([], { ...options, columns, header: true, bom: true });
}

/** The rows, each in the order of the columns. */
export function formatRows<Row extends object>(rows: readonly Row[], columns: readonly (keyof Row & string)[]): string {
  return stringify([...rows], { ...options, columns });
}

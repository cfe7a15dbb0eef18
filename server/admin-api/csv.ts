/** Writes CSV files (RFC 4180) that a spreadsheet can open without executing formulas entered by others. */
import { type Options, stringify } from 'csv-stringify/sync';
import { escapeFormulas } from '../../shared/formats/csv.ts';

/** Casts escape formulas, because the library considers only the first character of a cell. */
const options: Options = {
  record_delimiter: 'windows',
  quote_record_delimiter: true,
  cast: {
    string: escapeFormulas,
    object: (value) => escapeFormulas(JSON.stringify(value)),
    boolean: String,
  },
};

/** Returns the header, preceded by a byte order mark, without which Excel would not read the file as UTF-8. */
export function formatHeader(columns: readonly string[]): string {
  return stringify([], { ...options, columns, header: true, bom: true });
}

/** Returns the rows, each with its fields in the order of the columns. */
export function formatRows<Row extends object>(rows: readonly Row[], columns: readonly (keyof Row & string)[]): string {
  return stringify([...rows], { ...options, columns });
}

/** Reads a CSV file (RFC 4180) record by record, so that files of any length need little memory. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { ApiError, codeOf, describeUnreadable } from '../errors.ts';

type CsvRecord = {
  /** Number of the row: 0 is the header, data rows count from 1; empty lines are not counted. */
  readonly row: number;
  readonly fields: readonly string[];
};

/** Maximum length of a record: the longest row that can be imported, with room for columns that are not. */
const maxRecordLength = 100_000;

/**
 * Reads the records. Throws `ApiError` NOT_FOUND for a file that cannot be read, VALIDATION_ERROR
 * for one that is not UTF-8 CSV.
 */
export async function* readCsvRecords(path: string): AsyncGenerator<CsvRecord, void, void> {
  let row = 0;
  const parser = parse({
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: maxRecordLength,
  });
  pipeline(
    () => readText(path),
    parser,
    () => undefined,
  );
  try {
    for await (const fields of parser) yield { row: row++, fields };
  } catch (error) {
    throw error instanceof CsvError ? new ApiError('VALIDATION_ERROR', describeCsvError(error)) : error;
  }
}

/** Drops a byte order mark, and rejects other encodings, because names and emails would be stored incorrectly. */
async function* readText(path: string): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) {
      yield decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_INVALID_ENCODED_DATA') {
      throw new ApiError('VALIDATION_ERROR', `The file ${path} is not UTF-8. Save it as CSV in UTF-8.`);
    }
    throw new ApiError('NOT_FOUND', `The CSV file cannot be read: ${describeUnreadable(path, error)}.`);
  }
}

/** Describes the error without quoting the record, which may contain a key. */
function describeCsvError({ code, lines }: CsvError): string {
  const line = Number(lines ?? 0);
  switch (code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return `A quotation mark that opens before line ${line} is never closed.`;
    case 'CSV_MAX_RECORD_SIZE':
      return `The row at line ${line} is longer than ${maxRecordLength} characters. Check the quotation marks before it.`;
    default:
      return `The row at line ${line} is not valid CSV.`;
  }
}

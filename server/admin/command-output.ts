/** Formats what a command prints: its result as JSON or aligned text, and its failure as a message and a code. */
import { toPrintable } from '../../shared/formats/printable.ts';
import { BackupError } from '../backup/store.ts';
import { DatabaseUnavailable, isConnectionRefused } from '../database/database-errors.ts';
import { ApiError, messageOf, StartError } from '../errors.ts';

export type CommandResult = {
  /** The whole document that `--json` prints. */
  readonly json: object;
  /** What is printed without `--json`. Default: the fields of `json`, one per line. */
  readonly text?: string;
  /** Error that the command fails with after its result is printed. */
  readonly failure?: Error;
};

/**
 * Makes everything that a command prints safe for a terminal, line by line. In JSON, only the texts contain what is
 * escaped, in JSON's own notation, so the values stay the same.
 */
export function toPrintableLines(text: string): string {
  return text.split('\n').map(toPrintable).join('\n');
}

/** Formats a result as text with a trailing newline. */
export function formatResult(result: CommandResult, asJson: boolean): string {
  if (asJson) return `${JSON.stringify(result.json, null, 2)}\n`;
  return `${result.text ?? formatFields(result.json)}\n`;
}

type Failure = { readonly error: string; readonly code: string };

/** Returns the message and code for an error that a command threw. */
export function describeFailure(error: unknown): Failure {
  if (error instanceof ApiError || error instanceof BackupError) return { error: error.message, code: error.code };
  if (error instanceof StartError) return { error: error.message, code: 'CANNOT_START' };
  if (error instanceof DatabaseUnavailable) {
    const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
    const remedy = isConnectionRefused(error) ? 'Check DATABASE_URL.' : 'Try again.';
    return { error: `The database cannot be used at the moment${cause}. ${remedy}`, code: 'SERVICE_UNAVAILABLE' };
  }
  return { error: messageOf(error), code: 'INTERNAL_ERROR' };
}

type Pages = Iterable<readonly object[]> | AsyncIterable<readonly object[]>;

/** Yields a JSON array page by page, formatted like `JSON.stringify` with two spaces within this margin. */
export async function* formatJsonArray(pages: Pages, margin = ''): AsyncIterable<string> {
  let isEmpty = true;
  for await (const rows of pages) {
    const text = rows.map((row) => JSON.stringify(row, null, 2)).join(',\n');
    yield `${isEmpty ? '[\n' : ',\n'}${text.replaceAll(/^/gm, `${margin}  `)}`;
    isEmpty = false;
  }
  yield isEmpty ? '[]' : `\n${margin}]`;
}

/** Yields a report as one JSON document: its counts, followed by its lists. */
export async function* formatJsonReport(counts: object, lists: Readonly<Record<string, Pages>>): AsyncIterable<string> {
  yield JSON.stringify(counts, null, 2).slice(0, -'\n}'.length);
  for (const [name, pages] of Object.entries(lists)) {
    yield `,\n  "${name}": `;
    yield* formatJsonArray(pages, '  ');
  }
  yield '\n}\n';
}

/** Returns the warning about an account that was given something by its unconfirmed address. */
export function describeUnconfirmed(email: string): string {
  return `Warning: nobody has confirmed the address ${email}, so somebody else may have signed up with it and can use this.`;
}

export const nothingToList = 'Nothing to list.';

/** Formats a table with a heading for each column, or a message for an empty list. */
export function formatTable<T extends object>(rows: readonly T[], columns: readonly (keyof T & string)[]): string {
  return rows.length === 0 ? nothingToList : createTableFormat(columns)(rows);
}

/** Formats a table page by page: the heading once, and each column as wide as its widest cell so far. */
export function createTableFormat<T extends object>(
  columns: readonly (keyof T & string)[],
): (rows: readonly T[]) => string {
  let widths: readonly number[] = [];
  return (rows) => {
    const cells = rows.map((row) => columns.map((column) => formatValue(row[column])));
    const lines = widths.length === 0 ? [columns.map(label), ...cells] : cells;
    widths = columns.map((_, column) =>
      Math.max(widths[column] ?? 0, ...lines.map((line) => line[column]?.length ?? 0)),
    );
    return align(lines, widths);
  };
}

/** Formats one field per line. Objects are indented below their name, and lists of objects become tables there. */
export function formatFields(value: object): string {
  const entries = Object.entries(value);
  const width = Math.max(0, ...entries.filter(([, field]) => !isNested(field)).map(([name]) => label(name).length));
  return entries
    .map(([name, field]) =>
      isNested(field)
        ? `${label(name)}\n${indent(formatNested(field))}`
        : `${label(name).padEnd(width)}  ${formatValue(field)}`,
    )
    .join('\n');
}

function formatNested(field: object): string {
  return Array.isArray(field) ? formatTable(field, Object.keys(field[0]) as never[]) : formatFields(field);
}

/** Returns true if a value does not fit on the line of its name. A list of plain values does. */
function isNested(value: unknown): value is object {
  return Array.isArray(value)
    ? value.length > 0 && isObject(value[0])
    : isObject(value) && Object.keys(value).length > 0;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(formatValue).join(', ');
  return toPrintable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

function label(name: string): string {
  return name.replaceAll('_', ' ');
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

/** Aligns the columns, two spaces apart. */
function align(rows: readonly (readonly string[])[], widths: readonly number[]): string {
  const lastColumn = widths.length - 1;
  return rows
    .map((row) =>
      row.map((cell, column) => (column === lastColumn ? cell : cell.padEnd(widths[column] ?? 0))).join('  '),
    )
    .map((line) => line.trimEnd())
    .join('\n');
}

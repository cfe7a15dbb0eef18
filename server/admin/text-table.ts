/** Tables and lists of fields as aligned text, for people at a terminal. */

/** A table with a heading for each column; a sentence where there is nothing to list. */
export function formatTable<T extends object>(rows: readonly T[], columns: readonly (keyof T & string)[]): string {
  if (rows.length === 0) return 'There are none.';
  const cells = rows.map((row) => columns.map((column) => formatValue(row[column])));
  return align([columns.map(label), ...cells]);
}

/** One line for each field; things with fields of their own follow indented, lists of things as tables. */
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

/** A list of plain values stays on its line. */
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
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

/** Names come from people: what a terminal would obey (control and direction characters) is shown as its code. */
function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function label(name: string): string {
  return name.replaceAll('_', ' ');
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}

/** Every column as wide as its widest cell, two spaces apart. */
function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lastColumn = widths.length - 1;
  return rows
    .map((row) =>
      row.map((cell, column) => (column === lastColumn ? cell : cell.padEnd(widths[column] ?? 0))).join('  '),
    )
    .map((line) => line.trimEnd())
    .join('\n');
}

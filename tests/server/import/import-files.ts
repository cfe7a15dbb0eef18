/** Writes CSV files for the import commands, and runs the commands on them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Admin } from '../../harness/admin.ts';

export type Report = {
  readonly rows: number;
  readonly imported: number;
  readonly refused: readonly { readonly row: number; readonly reason: string }[];
};

/** Writes a file in the folder of the commands, and returns its path. */
export function writeCsv(admin: Admin, content: string | Uint8Array | readonly string[]): string {
  const path = join(admin.folder, 'import.csv');
  writeFileSync(path, Array.isArray(content) ? `${content.join('\n')}\n` : (content as string | Uint8Array));
  return path;
}

/** Imports these lines, with the header first. */
export function importLines(admin: Admin, kind: string, lines: readonly string[], ...words: string[]): Promise<Report> {
  return admin.json<Report>(['import', kind, writeCsv(admin, lines), ...words]);
}

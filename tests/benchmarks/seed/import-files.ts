/** CSV files for the import commands, of any length. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportKind } from '../../../server/import/import-source.ts';
import { emailOf, idOf } from './seeded-accounts.ts';

const linesAtOnce = 10_000;
const day = '2099-01-31';
/** As long as a hash with our parameters. No password matches it. */
const passwordHash = `"$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}"`;

const files: Readonly<Record<ImportKind, { readonly header: string; line(number: number): string }>> = {
  accounts: {
    header: 'email,full_name,password_hash',
    line: (number) => `${emailOf(number)},User ${number},${passwordHash}`,
  },
  licenses: {
    header: 'license_key,email,plan,status,max_activations,expires_at',
    line: (number) => `${idOf('imported license', number)},${emailOf(number)},standard,active,3,${day}`,
  },
  'api-keys': {
    header: 'email,key,sha256,expires_at',
    line: (number) => `${emailOf(number)},${idOf('imported key', number)},,${day}`,
  },
};

/** Writes the file into the folder and returns its path. The rows of all kinds refer to the same accounts. */
export function writeImportFile(folder: string, kind: ImportKind, rows: number): string {
  const path = join(folder, `${kind}.csv`);
  const { header, line } = files[kind];
  const file = openSync(path, 'w');
  writeSync(file, `${header}\n`);
  for (let number = 0; number < rows; number += linesAtOnce) {
    const count = Math.min(linesAtOnce, rows - number);
    writeSync(file, `${Array.from({ length: count }, (_, index) => line(number + index)).join('\n')}\n`);
  }
  closeSync(file);
  return path;
}

/** Copies the secrets into a data folder. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createFileAtomically } from '../atomic-write.ts';
import { BackupError } from './store.ts';

/** Does nothing if the same file already exists. Throws `BackupError` FILE_EXISTS for a file with different content. */
export function copySecretsFile(from: string, to: string): void {
  const content = readFileSync(from);
  if (!existsSync(to)) createFileAtomically(to, (temporaryPath) => writeFileSync(temporaryPath, content));
  if (readFileSync(to).equals(content)) return;
  throw new BackupError('FILE_EXISTS', `${to} has other secrets: name a folder without any.`);
}

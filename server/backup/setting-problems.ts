/**
 * Finds problems with files named in settings that keep the server from starting or from doing what it is set to do.
 */
import { StartError } from '../errors.ts';
import { readSettingFile, requirePrivateFile } from '../private-file.ts';
import type { Config } from '../settings/config.ts';
import { readTlsCertificate } from '../tls-certificate.ts';
import { readEncryption } from './backup-encryption.ts';

/** Returns one message each, under the names of the settings. Reads the files as this user, and changes nothing. */
export async function findSettingProblems({ secretsFile, backups, tls, githubKeysFile }: Config): Promise<string[]> {
  const problems: string[] = [];
  const reads = [
    () => requirePrivateFile(secretsFile),
    () => tls && readTlsCertificate(tls),
    () => readEncryption(backups),
    () => githubKeysFile && readSettingFile('LATCHKEY_GITHUB_SCANNING_KEYS', githubKeysFile),
  ];
  for (const read of reads) {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      problems.push(error.message);
    }
  }
  return problems;
}

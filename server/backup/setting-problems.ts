/**
 * Finds problems with files named in settings that keep the server from starting or from doing what it is set to do.
 */
import { StartError } from '../errors.ts';
import { readSettingFile, requirePrivateFile } from '../private-file.ts';
import type { Config } from '../settings/config.ts';
import { readTlsCertificate } from '../tls-certificate.ts';

/** Returns one message each, under the names of the settings. Reads the files as this user, and changes nothing. */
export async function findSettingProblems({ secretsFile, backups, tls, githubKeysFile }: Config): Promise<string[]> {
  const { passphraseFile, recipient } = backups;
  const found = [
    problemOf(() => requirePrivateFile(secretsFile)),
    tls && problemOf(() => readTlsCertificate(tls)),
    (passphraseFile ?? recipient) !== undefined && (await findEncryptionProblem(backups)),
    githubKeysFile !== undefined && problemOf(() => readSettingFile('LATCHKEY_GITHUB_SCANNING_KEYS', githubKeysFile)),
  ];
  return found.filter((problem) => typeof problem === 'string');
}

async function findEncryptionProblem(backups: Config['backups']): Promise<string | undefined> {
  const { readEncryption } = await import('./backup-encryption.ts');
  return problemOf(() => readEncryption(backups));
}

function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
}

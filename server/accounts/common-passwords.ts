/** The most common passwords in leaked databases. */
import { defaultMinPasswordLength } from '../../shared/formats/password.ts';

/** Number of passwords checked, counting only those long enough to be chosen (OWASP ASVS 5.0, 6.2.4). */
const count = 3000;

let commonPasswords: Promise<ReadonlySet<string>> | undefined;

/**
 * Returns the passwords in lower case. They are loaded when a password is first chosen rather than when the server
 * starts.
 */
export function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  commonPasswords ??= load();
  return commonPasswords;
}

async function load(): Promise<ReadonlySet<string>> {
  // The list is sorted by frequency. The package's main module would also expand its other dictionaries, which takes
  // 0.2 s.
  const { default: passwords } = await import('@zxcvbn-ts/language-common/src/passwords.json', {
    with: { type: 'json' },
  });
  return new Set(passwords.filter(({ length }) => length >= defaultMinPasswordLength).slice(0, count));
}

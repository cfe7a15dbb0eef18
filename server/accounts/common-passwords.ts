/** The passwords that attackers have found most often in leaked databases. */
import { defaultMinPasswordLength } from '../../shared/formats/password.ts';

/** Of those that are long enough to be chosen (OWASP ASVS 5.0, 6.2.4). */
const count = 3000;

let commonPasswords: Promise<ReadonlySet<string>> | undefined;

/** In lower case. They are loaded when a password is first chosen, and not when the server starts. */
export function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  commonPasswords ??= load();
  return commonPasswords;
}

async function load(): Promise<ReadonlySet<string>> {
  // The most frequent come first. The main module of the package would expand its other dictionaries too, for 0.2 s.
  const { default: passwords } = await import('@zxcvbn-ts/language-common/src/passwords.json', {
    with: { type: 'json' },
  });
  return new Set(passwords.filter(({ length }) => length >= defaultMinPasswordLength).slice(0, count));
}

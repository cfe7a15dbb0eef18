/** Which public keys the app trusts from the start: those of the build, or in development those of a file. */
import { readFileSync } from 'node:fs';
import { type PublicJwk, readPublicKeys } from '../shared/jws.ts';
import type { Log } from './licensing/platform.ts';

type PinnedKeysSettingInput = {
  /** Names the file that replaces the keys of the build. */
  readonly variable: 'LATCHKEY_LEASE_KEYS' | 'LATCHKEY_UPDATE_KEYS';
  /** `latchkey.leaseKeys` or `latchkey.updateKeys` of package.json. */
  readonly declared: readonly PublicJwk[];
  readonly isPackaged: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Pick<Log, 'warn'>;
};

type PinnedKeys = { readonly from: 'built-in' | 'file'; readonly keys: readonly PublicJwk[] };

/**
 * Returns `null` if no keys are pinned. The variable names a JWKS file that replaces the keys of the build; an empty
 * list trusts nothing. A packaged app ignores it. Throws a sentence if the file cannot be used.
 */
export function findPinnedKeys(input: PinnedKeysSettingInput): PinnedKeys | null {
  const { variable, declared, isPackaged, environment, log } = input;
  const file = environment[variable];
  if (file && isPackaged) log.warn(`${variable} is ignored in a packaged app`);
  if (file && !isPackaged) return { from: 'file', keys: readKeysFile(variable, file) };
  return declared.length === 0 ? null : { from: 'built-in', keys: declared };
}

function readKeysFile(variable: string, file: string): PublicJwk[] {
  const refuse = (reason: string) => new Error(`${variable}: ${file} ${reason}`);
  let jwks: unknown;
  try {
    jwks = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw refuse('cannot be read as JSON.');
  }
  const listed = (jwks as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(listed)) throw refuse('is not a JWKS, such as the server has at /.well-known/jwks.json.');
  const keys = readPublicKeys(jwks);
  if (keys.length < listed.length) throw refuse('has a key that is not an Ed25519 key for signatures.');
  return keys;
}

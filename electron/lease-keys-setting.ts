/** Which keys of leases the app trusts from the start: those of the build, or in development those of a file. */
import { readFileSync } from 'node:fs';
import { readPublicKeys } from '../shared/jws.ts';
import type { LeaseJwk } from '../shared/lease.ts';
import type { PinnedLeaseKeys } from './licensing/lease-keys.ts';
import type { Log } from './licensing/platform.ts';

export type LeaseKeysSettingInput = {
  /** `latchkey.leaseKeys` of package.json. */
  readonly declared: readonly LeaseJwk[];
  readonly isPackaged: boolean;
  readonly environment: NodeJS.ProcessEnv;
  readonly log: Pick<Log, 'warn'>;
};

/**
 * `null`: no keys are pinned. `LATCHKEY_LEASE_KEYS` names a JWKS file that replaces the keys of the build, and an empty list
 * trusts nothing; a packaged app ignores it. Throws with a sentence if the file cannot be used.
 */
export function findLeaseKeys({
  declared,
  isPackaged,
  environment,
  log,
}: LeaseKeysSettingInput): PinnedLeaseKeys | null {
  const { LATCHKEY_LEASE_KEYS: file } = environment;
  if (file && isPackaged) log.warn('LATCHKEY_LEASE_KEYS is ignored in a packaged app');
  if (file && !isPackaged) return { from: 'file', keys: readKeysFile(file) };
  return declared.length === 0 ? null : { from: 'built-in', keys: declared };
}

function readKeysFile(file: string): LeaseJwk[] {
  const refuse = (reason: string) => new Error(`LATCHKEY_LEASE_KEYS: ${file} ${reason}`);
  let jwks: unknown;
  try {
    jwks = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw refuse('cannot be read as JSON.');
  }
  const listed = (jwks as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(listed)) throw refuse('is not a JWKS, such as the server has at /.well-known/jwks.json.');
  const keys = readPublicKeys(jwks);
  if (keys.length < listed.length) throw refuse('has a key that is not an Ed25519 key for leases.');
  return keys;
}

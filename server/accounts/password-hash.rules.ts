/** Which password hashes from other systems are accepted, and which algorithm verifies them. */

/**
 * Limits on the cost of verifying a hash, since the author of the imported file decides how long a sign-in takes. They
 * are several times the recommended cost and still stay within the deadline of a request.
 */
const limits = { memoryKib: 262_144, passes: 16, lanes: 16, bcryptCost: 15 } as const;

type HashKind = 'argon2id' | 'bcrypt' | 'none';

/** Returns the algorithm of a hash; `none` for an account without a password. */
export function kindOfHash(hash: string): HashKind {
  if (hash === '') return 'none';
  return hash.startsWith('$2') ? 'bcrypt' : 'argon2id';
}

/** Returns why a hash from another system cannot be imported; `undefined` if it can, and for an empty string. */
export function findHashProblem(hash: string): string | undefined {
  if (hash === '' || isBcrypt(hash) || isArgon2id(hash)) return undefined;
  return `password_hash must be empty, an argon2id hash (at most ${limits.memoryKib} KiB and ${limits.passes} passes) or a bcrypt hash (at most cost ${limits.bcryptCost}).`;
}

function isBcrypt(hash: string): boolean {
  const [, cost = ''] = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash) ?? [];
  return Number(cost) >= 4 && Number(cost) <= limits.bcryptCost;
}

/** Accepts the PHC string format, as written by argon2's own programs. */
function isArgon2id(hash: string): boolean {
  const found =
    /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3})\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,172}$/.exec(hash);
  if (!found) return false;
  const [memoryKib = 0, passes = 0, lanes = 0] = found.slice(1).map(Number);
  const isInLimits = memoryKib <= limits.memoryKib && passes <= limits.passes && lanes <= limits.lanes;
  return isInLimits && passes >= 1 && lanes >= 1 && memoryKib >= 8 * lanes;
}

/** Hashes passwords with argon2id, a few at a time and off the event loop. */
import { hash, parseOptions, verify } from '@node-rs/argon2';
import PQueue from 'p-queue';
import { ApiError } from '../errors.ts';
import { normalisePassword } from './password.rules.ts';

/** OWASP's and our floor: 19 MiB, two passes, one lane. argon2id is the library's default. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const atATime = 2;
const retrySeconds = 2;

export type PasswordHasher = {
  /** A PHC string, with salt and parameters in it. */
  hash(password: string): Promise<string>;
  /** Whether the password is the one that was hashed. */
  verify(password: string, hashed: string): Promise<boolean>;
  /** Takes as long as `verify` and is never true: for an account that does not exist. */
  verifyNothing(password: string): Promise<false>;
  /** Whether the hash was made with other parameters than today's. */
  isOutdated(hashed: string): boolean;
};

/** All functions throw `ApiError` SERVICE_UNAVAILABLE when `maxWaiting` others wait already. */
export function createPasswordHasher(maxWaiting = 64): PasswordHasher {
  const queue = new PQueue({ concurrency: atATime });
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    if (queue.size >= maxWaiting) throw new ApiError('SERVICE_UNAVAILABLE', undefined, retrySeconds);
    return queue.add(work);
  };
  const hashInTurn = async (password: string) => inTurn(() => hash(normalisePassword(password), parameters));
  const verifyInTurn = async (password: string, hashed: string) =>
    inTurn(() => verify(hashed, normalisePassword(password)));
  let nothing: Promise<string> | undefined;
  return {
    hash: hashInTurn,
    verify: verifyInTurn,
    async verifyNothing(password) {
      nothing ??= hash('', parameters);
      await verifyInTurn(password, await nothing);
      return false;
    },
    isOutdated(hashed) {
      const used = parseOptions(hashed);
      return (
        used.memoryCost !== parameters.memoryCost ||
        used.timeCost !== parameters.timeCost ||
        used.parallelism !== parameters.parallelism
      );
    },
  };
}

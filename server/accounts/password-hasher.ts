/**
 * Hashes passwords with argon2id and verifies them, including imported hashes, a few at a time and off the event loop.
 */
import { hash, parseOptions, verify } from '@node-rs/argon2';
import { maxGivenPasswordLength, normalizePassword } from '../../shared/formats/password.ts';
import { currentDeadline } from '../deadline.ts';
import { ApiError } from '../errors.ts';
import { FairQueue, type Turn } from './fair-queue.ts';
import { kindOfHash } from './password-hash.rules.ts';

/** The OWASP minimum: 19 MiB, two passes, one lane. argon2id is the library's default. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const concurrency = 2;
const maxQueued = 64;
const retryAfterSeconds = 2;

/** Turn for hashing that no client waits for, such as that of an admin command. */
const ownTurn: Turn = { group: 'server', isPreferred: true };

/**
 * `hash` and both `verify` methods throw `ApiError` SERVICE_UNAVAILABLE when too many jobs are waiting (see
 * `FairQueue`), and `DeadlineExceeded`.
 */
export class PasswordHasher {
  readonly #queue = new FairQueue({
    concurrency,
    capacity: maxQueued,
    createFullError: () => new ApiError('SERVICE_UNAVAILABLE', undefined, retryAfterSeconds),
  });
  #hashOfNothing: Promise<string> | undefined;

  /** Number of passwords waiting to be hashed or verified. */
  get waiting(): number {
    return this.#queue.waiting;
  }

  /** Returns a PHC string, which contains the salt and the parameters. */
  async hash(password: string, turn: Turn = ownTurn): Promise<string> {
    return this.#run(() => hash(normalizePassword(password), parameters), turn);
  }

  /** Returns true if the hash matches the password. Takes as long for an account without a password. */
  async verify(password: string, hashed: string, turn: Turn): Promise<boolean> {
    if (kindOfHash(hashed) === 'none') {
      await this.verifyNothing(password, turn);
      return false;
    }
    if (password.length > maxGivenPasswordLength) {
      await this.#run(() => verifyHash('', hashed), turn);
      return false;
    }
    const normalized = normalizePassword(password);
    if (await this.#run(() => verifyHash(normalized, hashed), turn)) return true;
    // Another system may have hashed the password without normalizing it.
    return normalized !== password && this.#run(() => verifyHash(password, hashed), turn);
  }

  /** Takes as long as `verify`. For an account that does not exist. */
  async verifyNothing(password: string, turn: Turn): Promise<void> {
    this.#hashOfNothing ??= hash('', parameters);
    await this.verify(password, await this.#hashOfNothing, turn);
  }

  /** Returns true if the hash was made with other parameters than the current ones, or with another algorithm. */
  isOutdated(hashed: string): boolean {
    if (kindOfHash(hashed) !== 'argon2id') return true;
    const used = parseOptions(hashed);
    return (
      used.memoryCost !== parameters.memoryCost ||
      used.timeCost !== parameters.timeCost ||
      used.parallelism !== parameters.parallelism
    );
  }

  #run<T>(work: () => Promise<T>, turn: Turn): Promise<T> {
    const deadline = currentDeadline();
    const workInTime = async () => {
      deadline?.require();
      return work();
    };
    return this.#queue.run(workInTime, turn);
  }
}

async function verifyHash(password: string, hashed: string): Promise<boolean> {
  if (kindOfHash(hashed) === 'argon2id') return verify(hashed, password);
  // Imported on demand: most servers never see such a hash.
  const bcrypt = await import('@node-rs/bcrypt');
  return bcrypt.verify(password, hashed);
}

/** Hashes passwords with argon2id, a few at a time and off the event loop. */
import { hash, parseOptions, verify } from '@node-rs/argon2';
import PQueue from 'p-queue';
import { ApiError } from '../errors.ts';
import { normalisePassword } from './password.rules.ts';

/** The minimum that OWASP recommends: 19 MiB, two passes, one lane. argon2id is the library's default. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

const concurrency = 2;
const maxQueued = 64;
const retryAfterSeconds = 2;

/** `hash` and the two `verify` methods throw `ApiError` SERVICE_UNAVAILABLE while the queue is full. */
export class PasswordHasher {
  readonly #queue = new PQueue({ concurrency });
  #hashOfNothing: Promise<string> | undefined;

  /** A PHC string, which contains salt and parameters. */
  async hash(password: string): Promise<string> {
    return this.#enqueue(() => hash(normalisePassword(password), parameters));
  }

  /** Whether the hash is that of this password. */
  async verify(password: string, hashed: string): Promise<boolean> {
    return this.#enqueue(() => verify(hashed, normalisePassword(password)));
  }

  /** Takes as long as `verify`, for an account that does not exist. */
  async verifyNothing(password: string): Promise<void> {
    this.#hashOfNothing ??= hash('', parameters);
    await this.verify(password, await this.#hashOfNothing);
  }

  /** Whether the hash was made with other parameters than those of today. */
  isOutdated(hashed: string): boolean {
    const used = parseOptions(hashed);
    return (
      used.memoryCost !== parameters.memoryCost ||
      used.timeCost !== parameters.timeCost ||
      used.parallelism !== parameters.parallelism
    );
  }

  #enqueue<T>(work: () => Promise<T>): Promise<T> {
    if (this.#queue.size >= maxQueued) throw new ApiError('SERVICE_UNAVAILABLE', undefined, retryAfterSeconds);
    return this.#queue.add(work);
  }
}

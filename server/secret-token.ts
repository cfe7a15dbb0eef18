/** Secret tokens of sessions and links: 256 random bits known to their holder; the database has only the hash. */
import { hash } from 'node:crypto';
import type { Random } from './random.ts';

const tokenBytes = 32;

/** Creates a token: 43 characters of base64url. */
export function newSecretToken(random: Random): string {
  return random(tokenBytes).toString('base64url');
}

/**
 * Returns the SHA-256 in hex, used to look up the token. A token is too long to be guessed, so the hash needs no salt.
 */
export function hashSecretToken(token: string): string {
  return hash('sha256', token);
}

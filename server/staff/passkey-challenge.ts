/**
 * Challenges for passkeys to sign. A challenge itself proves that this installation issued it, for which purpose and
 * until when, so requesting one writes nothing. Its use is recorded, so that it cannot be used twice.
 */

import { createHmac, hash } from 'node:crypto';
import type { CommonDeps } from '../common-deps.ts';
import type { Tables } from '../database/tables.ts';
import { deriveKey, isSameTag } from '../encryption.ts';

/** The purpose of a challenge: a sign-in, or an action within one session. */
export type ChallengePurpose = 'sign_in' | `confirm ${string}` | `add ${string}`;

type PasskeyChallengesDeps = Pick<CommonDeps, 'secrets' | 'clock' | 'random'>;

/** Time a staff member has to answer, in ms. */
const challengeTtlMs = 5 * 60_000;

const nonceBytes = 16;
const timeBytes = 6;
const bodyBytes = nonceBytes + timeBytes;

export class PasskeyChallenges {
  readonly #deps: PasskeyChallengesDeps;

  constructor(deps: PasskeyChallengesDeps) {
    this.#deps = deps;
  }

  /** Creates a challenge: a nonce, its expiry and a tag, as base64url. */
  create(purpose: ChallengePurpose): string {
    const { clock, random } = this.#deps;
    const body = Buffer.alloc(bodyBytes);
    random(nonceBytes).copy(body);
    body.writeUIntBE(clock.now() + challengeTtlMs, nonceBytes, timeBytes);
    return Buffer.concat([body, this.#tag(body, purpose)]).toString('base64url');
  }

  /**
   * Returns the row that records the use of the challenge; `undefined` if it was not issued here for this purpose, or
   * has expired.
   */
  read(challenge: string, purpose: ChallengePurpose): Tables['used_challenges'] | undefined {
    const bytes = Buffer.from(challenge, 'base64url');
    const body = bytes.subarray(0, bodyBytes);
    const tag = this.#tag(body, purpose);
    if (!isSameTag(bytes.subarray(bodyBytes), tag)) return undefined;
    const expiresAtMs = body.readUIntBE(nonceBytes, timeBytes);
    if (this.#deps.clock.now() >= expiresAtMs) return undefined;
    return { challenge_hash: hash('sha256', body, 'hex'), expires_at_ms: expiresAtMs };
  }

  #tag(body: Buffer, purpose: ChallengePurpose): Buffer {
    return createHmac('sha256', deriveKey(this.#deps.secrets.pepper, 'passkey challenges'))
      .update(body)
      .update(purpose)
      .digest();
  }
}

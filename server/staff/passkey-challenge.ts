/**
 * The challenges that passkeys sign. A challenge proves by itself that this installation made it, for what and until when,
 * so that asking for one writes nothing. That none is used twice is recorded when it is used.
 */

import { createHmac, hash } from 'node:crypto';
import type { CommonDeps } from '../common-deps.ts';
import { deriveKey, isSameTag } from '../encryption.ts';

/** What the challenge is for: a sign-in, or something within one session. */
export type ChallengePurpose = 'sign_in' | `confirm ${string}` | `add ${string}`;

export type PasskeyChallengesDeps = Pick<CommonDeps, 'secrets' | 'clock' | 'random'>;

/** How long a member may take. */
export const challengeTtlMs = 5 * 60_000;

const nonceBytes = 16;
const timeBytes = 6;
const bodyBytes = nonceBytes + timeBytes;

export class PasskeyChallenges {
  readonly #deps: PasskeyChallengesDeps;

  constructor(deps: PasskeyChallengesDeps) {
    this.#deps = deps;
  }

  /** base64url: a nonce, when it expires, and a tag. */
  create(purpose: ChallengePurpose): string {
    const { clock, random } = this.#deps;
    const body = Buffer.alloc(bodyBytes);
    random(nonceBytes).copy(body);
    body.writeUIntBE(clock.now() + challengeTtlMs, nonceBytes, timeBytes);
    return Buffer.concat([body, this.#tag(body, purpose)]).toString('base64url');
  }

  /** When the challenge expires; `undefined` if it was not made here for this purpose, or has expired. */
  read(challenge: string, purpose: ChallengePurpose): { hash: string; expiresAtMs: number } | undefined {
    const bytes = Buffer.from(challenge, 'base64url');
    const body = bytes.subarray(0, bodyBytes);
    const tag = this.#tag(body, purpose);
    if (!isSameTag(bytes.subarray(bodyBytes), tag)) return undefined;
    const expiresAtMs = body.readUIntBE(nonceBytes, timeBytes);
    if (this.#deps.clock.now() >= expiresAtMs) return undefined;
    return { hash: hash('sha256', body, 'hex'), expiresAtMs };
  }

  #tag(body: Buffer, purpose: ChallengePurpose): Buffer {
    return createHmac('sha256', deriveKey(this.#deps.secrets.pepper, 'passkey challenges'))
      .update(body)
      .update(purpose)
      .digest();
  }
}

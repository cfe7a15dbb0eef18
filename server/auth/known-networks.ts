/**
 * Remembers the networks that each account has signed in from, so that a flood of wrong passwords does not lock out its
 * owner.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { dayMs } from '../clock.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Transaction } from '../database/database.ts';
import { deriveKey } from '../encryption.ts';
import { rateLimitAddress } from '../network-address.ts';
import * as repository from './known-network.repository.ts';

/** A network whose last use was recorded within this time is not written again. */
const refreshAfterMs = dayMs;

type KnownNetworksDeps = Pick<CommonDeps, 'database' | 'secrets' | 'clock'>;

/**
 * A network is an IPv4 address or an IPv6 /64. It is stored as an HMAC, under the pepper, of the network and the
 * account, so that a row reveals neither where a user was nor which accounts share a network.
 */
export class KnownNetworks {
  readonly #deps: KnownNetworksDeps;
  readonly #key: KeyObject;

  constructor(deps: KnownNetworksDeps) {
    this.#deps = deps;
    this.#key = createSecretKey(deriveKey(deps.secrets.pepper, 'known networks'));
  }

  /**
   * Returns true if the account has signed in from the network of this address. Without an account, takes as long and
   * returns false.
   */
  async includes(userId: string | undefined, address: string): Promise<boolean> {
    const network = hashNetwork(this.#key, userId ?? '', address);
    return (await repository.findKnownNetwork.first(this.#deps.database.read, network)) !== undefined;
  }

  /** Remembers the network. Call it when the account signs in or refreshes its session from this address. */
  async remember(transaction: Transaction, userId: string, address: string): Promise<void> {
    const nowMs = this.#deps.clock.now();
    const network = hashNetwork(this.#key, userId, address);
    const known = await repository.findKnownNetwork.first(transaction, network);
    if (known && Math.abs(nowMs - known.last_used_at_ms) < refreshAfterMs) return;
    const row = { ...network, last_used_at_ms: nowMs };
    await repository.saveKnownNetwork(transaction, row);
    await repository.keepLatestNetworks(transaction, row);
  }
}

function hashNetwork(key: KeyObject, userId: string, address: string) {
  const hmac = createHmac('sha256', key).update(`${userId} ${rateLimitAddress(address)}`);
  return { user_id: userId, network_hash: hmac.digest('base64url') };
}

/**
 * The public keys that verify leases: those built into the app, or else those that the server published at the first
 * sign-in.
 */
import { z } from 'zod';
import { hasKeyLength, readPublicKeys } from '../../shared/jws.ts';
import { type LeaseJwk, leaseJwk } from '../../shared/lease.ts';
import type { ApiClient } from './api-client.ts';
import { CachedDocument } from './cached-document.ts';
import type { Log, SecretStore } from './platform.ts';
import type { Session } from './session.ts';

/** Keys that the app trusts from the start; no server can add to them. */
export type PinnedLeaseKeys = {
  readonly from: 'built-in' | 'file';
  readonly keys: readonly LeaseJwk[];
};

/** Where the keys in use come from. */
type LeaseKeysSource = PinnedLeaseKeys['from'] | 'first-use';

/** A server has one or two keys, and no profile uses more servers than this. */
const maxKeys = 20;
const maxServers = 50;

const leaseKeysDocument = z.object({
  version: z.literal(1),
  servers: z.array(z.object({ serverAddress: z.string(), keys: z.array(leaseJwk) })),
});
type KnownServer = z.infer<typeof leaseKeysDocument>['servers'][number];

type LeaseKeysDeps = {
  readonly api: ApiClient;
  readonly session: Session;
  readonly secrets: SecretStore;
  readonly log: Log;
  /** `null` trusts the keys of the first sign-in. */
  readonly pinned: PinnedLeaseKeys | null;
};

export class LeaseKeys {
  readonly #deps: LeaseKeysDeps;
  readonly #document: CachedDocument<z.infer<typeof leaseKeysDocument>>;
  #servers: KnownServer[] = [];
  #isStored = true;

  constructor(deps: LeaseKeysDeps) {
    this.#deps = deps;
    const { secrets: plain, log } = deps;
    this.#document = new CachedDocument({ plain, log, name: 'lease-keys', schema: leaseKeysDocument });
  }

  get arePinned(): boolean {
    return this.#deps.pinned !== null;
  }

  get source(): LeaseKeysSource {
    return this.#deps.pinned?.from ?? 'first-use';
  }

  /** As a JWKS. Without pinned keys, only those of that server; none before the first sign-in there. */
  of(serverAddress: string | null): { readonly keys: readonly LeaseJwk[] } {
    const known = this.#servers.find((server) => server.serverAddress === serverAddress);
    return { keys: this.#deps.pinned?.keys ?? known?.keys ?? [] };
  }

  async load(): Promise<void> {
    if (this.arePinned) return;
    this.#servers = (await this.#document.read())?.servers ?? [];
  }

  /**
   * Replaces the known keys with those that the session's server publishes: others are dropped, and a key id never gets
   * another key. Does nothing with pinned keys or without a session; an inconclusive response changes nothing.
   */
  async refresh(): Promise<void> {
    const { api, session } = this.#deps;
    const { serverAddress } = session;
    if (this.arePinned || serverAddress === null) return;
    const result = await api.loadLeaseKeys(serverAddress);
    if (result.kind !== 'success' || session.serverAddress !== serverAddress) return;
    const before = this.of(serverAddress).keys;
    const published = readPublicKeys(result.response).filter(hasKeyLength).slice(0, maxKeys);
    const keys = published.map((key) => before.find(({ kid }) => kid === key.kid) ?? key);
    if (JSON.stringify(keys) !== JSON.stringify(before)) await this.#record({ serverAddress, keys });
  }

  /** Keeps the keys of a server that has moved to another address. */
  async move(from: string, to: string): Promise<void> {
    const { keys } = this.of(from);
    if (!this.arePinned && keys.length > 0) await this.#record({ serverAddress: to, keys: [...keys] });
  }

  /** Stores the keys if that has failed so far. */
  async save(): Promise<void> {
    if (!this.#isStored) this.#isStored = await this.#document.write({ servers: this.#servers });
  }

  async #record(server: KnownServer): Promise<void> {
    const others = this.#servers.filter(({ serverAddress }) => serverAddress !== server.serverAddress);
    this.#servers = [server, ...others].slice(0, maxServers);
    this.#isStored = false;
    await this.save();
  }
}

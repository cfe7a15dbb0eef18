/** Stored license data of this device: one document per account and device, and per server if these differ. */
import { z } from 'zod';
import { timestamp } from '../../shared/api/fields.ts';
import { validateLicenseResponse } from '../../shared/api/license.ts';
import { subscriptionStatusResponse } from '../../shared/api/subscription.ts';
import { activityEntry } from './activity-log.ts';
import type { Log, SecretStore, Subtle } from './platform.ts';
import { SerialQueue } from './serial-queue.ts';
import { readDocument, type StoredDocument } from './stored-document.ts';
import { timeReading } from './trusted-time.ts';
import { storedWarning } from './warnings.ts';

/** Earlier versions had a single document, which the next account overwrote. */
const earlierDocumentName = 'license';

/** What this device did to its activation after the last validation. */
const localChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('activated'), activations: z.int(), maxActivations: z.int(), at: timestamp }),
  z.object({ kind: z.literal('released'), at: timestamp }),
]);

const commonFacts = z.object({
  licenseKey: z.string().min(1).nullable(),
  /** Activation of this device with that key, if the server has named it. */
  activationId: z.string().nullable(),
  apiKey: z
    .object({
      prefix: z.string(),
      isLegacy: z.boolean(),
      createdAt: timestamp,
      /** Missing in earlier versions. */
      revoked: z.object({ at: timestamp, reported: z.boolean() }).nullable().default(null),
    })
    .nullable(),
  /** Newest first. */
  activity: z.array(activityEntry).catch([]),
});

const licenseFacts = commonFacts.extend({
  /** Latest trusted time; `null` before the first. */
  time: timeReading.nullable(),
  /** An API key request whose response is not known yet. */
  pendingApiKey: z.object({ idempotencyKey: z.string(), replace: z.boolean() }).nullable(),
  localChange: localChange.nullable(),
  /** Last conclusive response about that key on this device, as the server sent it. */
  validation: z.object({ response: validateLicenseResponse, at: timestamp }).nullable(),
  /** Last conclusive response about the account, as the server sent it. */
  status: z.object({ response: subscriptionStatusResponse, at: timestamp }).nullable(),
  /** The lease in use, as the server signed it; verified again at each read. */
  lease: z.string().nullable().default(null),
  /** A later lease whose key this app does not know, kept until it does. */
  unknownKeyLease: z.string().nullable().default(null),
  /** True once the server has given or refused this account a lease: from then on nothing is on without one. */
  needsLease: z.boolean().default(false),
  /** Trusted time at which the server, or a release, last turned everything off. No lease from before counts. */
  endedAt: timestamp.nullable().default(null),
  /** The name that the user has given this device, as the server of this license knows it; `null` for the host's. */
  givenName: z.string().nullable().default(null),
  /** Warnings of the server that the user has dismissed, until they end or get worse. */
  dismissedWarnings: z.array(storedWarning).catch([]),
});
export type LicenseFacts = z.infer<typeof licenseFacts>;
export type LocalChange = z.infer<typeof localChange>;

/** The owner of a document. */
const owner = z.object({ serverAddress: z.string(), accountId: z.string(), deviceId: z.string() });
export type Owner = z.infer<typeof owner>;

/** The owner is stored as `binding`: a stored name never changes. */
const version3 = z.object({ version: z.literal(3), binding: owner, facts: licenseFacts });

/** Highest wall time seen. */
const highestWallMs = z.number();

/** Version 2 measured time by the wall clock. */
const version2 = z.object({
  version: z.literal(2),
  binding: owner,
  facts: licenseFacts
    .omit({
      time: true,
      pendingApiKey: true,
      lease: true,
      unknownKeyLease: true,
      needsLease: true,
      endedAt: true,
      givenName: true,
      dismissedWarnings: true,
    })
    .extend({ highestWallMs }),
});

/** Version 1 had no local changes: activating and releasing changed the stored validation instead. */
const version1 = z.object({
  version: z.literal(1),
  binding: owner,
  facts: commonFacts.extend({
    highestWallMs,
    validation: z.object({ answer: validateLicenseResponse, at: timestamp }).nullable(),
    status: z.object({ answer: subscriptionStatusResponse, at: timestamp }).nullable(),
  }),
});

const storedDocument = z.union([
  version3,
  version2.transform(toVersion3),
  version1.transform(toVersion2).transform(toVersion3),
]);
type LicenseDocument = z.infer<typeof version3>;

function toVersion3({ binding, facts }: z.infer<typeof version2>): LicenseDocument {
  const { highestWallMs, ...rest } = facts;
  const time = {
    trustedMs: highestWallMs,
    wallMs: highestWallMs,
    fromServer: false,
    boot: null,
    gap: null,
    signedMs: null,
    aheadMs: null,
  };
  return {
    version: 3,
    binding,
    facts: { ...rest, ...noLease, givenName: null, dismissedWarnings: [], time, pendingApiKey: null },
  };
}

function toVersion2({ binding, facts }: z.infer<typeof version1>): z.infer<typeof version2> {
  const { validation, status, ...common } = facts;
  return {
    version: 2,
    binding,
    facts: {
      ...common,
      localChange: null,
      validation: validation && { response: validation.answer, at: validation.at },
      status: status && { response: status.answer, at: status.at },
    },
  };
}

const noLease = { lease: null, unknownKeyLease: null, needsLease: false, endedAt: null };

const noFacts: LicenseFacts = {
  ...noLease,
  givenName: null,
  dismissedWarnings: [],
  licenseKey: null,
  activationId: null,
  localChange: null,
  validation: null,
  status: null,
  apiKey: null,
  activity: [],
  time: null,
  pendingApiKey: null,
};

/** When changed facts are written; a sync writes all of its changes together at its end. */
export type Writing = 'now' | 'later';

type LicenseStoreDeps = {
  readonly secrets: SecretStore;
  readonly log: Log;
  readonly subtle: Pick<Subtle, 'digest'>;
};

/** `movedFrom` is an earlier address of the same server; documents stored under it are accepted. */
type Opening = { readonly owner: Owner; readonly movedFrom: string | null };

type Found = Location & { readonly read: StoredDocument<LicenseDocument> };

/**
 * `setAsideFirst`: the stored document is unreadable or from a newer version; it is set aside before the first write.
 */
type Location = { readonly documentName: string; setAsideFirst: boolean };

/** `unreadable`: the stored document cannot be read now; only a new license key may replace it. */
type State =
  | { readonly kind: 'closed' }
  | { readonly kind: 'opening'; readonly opening: Opening }
  | { readonly kind: 'open' | 'unreadable'; readonly opening: Opening; readonly location: Location };

export class LicenseStore {
  readonly #deps: LicenseStoreDeps;
  readonly #writes = new SerialQueue();
  #state: State = { kind: 'closed' };
  #facts: LicenseFacts = noFacts;
  /** Changes since `open`, which are newer than a document read later. */
  #changed: Partial<LicenseFacts> = {};

  constructor(deps: LicenseStoreDeps) {
    this.#deps = deps;
  }

  get facts(): LicenseFacts {
    return this.#facts;
  }

  /** Owner of these facts; `null` while nothing is open. */
  get owner(): Owner | null {
    return this.#state.kind === 'closed' ? null : this.#state.opening.owner;
  }

  /** True if the stored document cannot be read now. */
  get isUnreadable(): boolean {
    return this.#state.kind === 'unreadable';
  }

  /** Reads what is stored for exactly this server, account and device; other documents stay untouched. */
  async open(owner: Owner, movedFrom: string | null): Promise<void> {
    this.#facts = noFacts;
    this.#changed = {};
    const opening = { owner, movedFrom };
    this.#state = { kind: 'opening', opening };
    await this.#read(opening);
  }

  /** Called when the same server has moved to another address. */
  async move(serverAddress: string): Promise<void> {
    if (this.#state.kind === 'closed') return;
    const { owner } = this.#state.opening;
    const opening = { owner: { ...owner, serverAddress }, movedFrom: owner.serverAddress };
    this.#state = { ...this.#state, opening };
    if (this.#state.kind === 'opening') await this.#read(opening);
    else await this.save();
  }

  /** Retries an unreadable document; returns whether it could be read and is still the open one. */
  async retryRead(): Promise<boolean> {
    const state = this.#state;
    if (state.kind !== 'unreadable') return false;
    await this.#read(state.opening);
    return !this.isUnreadable && this.owner === state.opening.owner;
  }

  /**
   * Changes the facts at once; resolves once they are on disk or the disk has failed. With `later` they are written
   * with the next change. Never rejects.
   */
  async update(change: Partial<LicenseFacts>, writing: Writing = 'now'): Promise<void> {
    this.#facts = { ...this.#facts, ...change };
    this.#changed = { ...this.#changed, ...change };
    if (this.#state.kind === 'unreadable' && change.licenseKey) this.#state = { ...this.#state, kind: 'open' };
    if (writing === 'now') await this.save();
  }

  /** Forgets the facts in memory; the disk keeps them for the next sign-in of the same account. */
  close(): void {
    this.#state = { kind: 'closed' };
    this.#facts = noFacts;
    this.#changed = {};
  }

  /** Writes the facts to the store, e.g. after the storage has changed. Never rejects. */
  async save(): Promise<void> {
    if (this.#state.kind === 'open') await this.#write(this.#state.opening.owner, this.#state.location);
  }

  /** Waits for writes in progress. */
  flush(): Promise<void> {
    return this.#writes.idle();
  }

  async #write(owner: Owner, location: Location): Promise<boolean> {
    const { secrets, log } = this.#deps;
    const document: LicenseDocument = { version: 3, binding: owner, facts: this.#facts };
    const text = JSON.stringify({ ...document, min_reader: 3 });
    try {
      await this.#writes.run(async () => {
        if (location.setAsideFirst) await secrets.setAside(location.documentName);
        location.setAsideFirst = false;
        await secrets.write(location.documentName, text);
      });
      return true;
    } catch {
      log.warn('the license could not be stored');
      return false;
    }
  }

  async #read(opening: Opening): Promise<void> {
    const { log } = this.#deps;
    // Changes made before it was closed may not be on disk yet.
    await this.flush();
    const { read: own, ...location } = await this.#find(opening);
    const earlier = own.kind === 'absent' ? await this.#readEarlier(opening) : null;
    const read = earlier ?? own;
    const state = this.#state;
    // A license key that was activated meanwhile has replaced an unreadable document.
    if (state.kind === 'closed' || state.kind === 'open' || state.opening !== opening) return;
    // These two were not built on the stored values, which take precedence.
    const { time: _time, activity: _activity, ...changed } = this.#changed;
    const isUnreadable = read.kind === 'unreadable' && !changed.licenseKey;
    this.#state = { kind: isUnreadable ? 'unreadable' : 'open', opening, location };
    if (read.kind === 'unreadable') log.warn('the stored license cannot be read');
    if (read.kind === 'value') this.#facts = { ...read.value.facts, ...changed };
    if (earlier?.kind === 'value') await this.#moveEarlier(opening.owner, location);
    else if (changed.licenseKey) await this.save();
  }

  /** Finds the owner's document, named for account and device or, if another server has that name, for all three. */
  async #find(opening: Opening): Promise<Found> {
    const { serverAddress, accountId, deviceId } = opening.owner;
    const { subtle } = this.#deps;
    const shared = await documentNameFor([accountId, deviceId], subtle);
    const names = [shared, await documentNameFor([serverAddress, accountId, deviceId], subtle)];
    let free: Found | null = null;
    for (const documentName of names) {
      const read = await readDocument(this.#deps.secrets, documentName, storedDocument, 3);
      if (read.kind === 'value' && isOwned(read.value.binding, opening)) {
        return { read, documentName, setAsideFirst: read.isNewer };
      }
      // An unreadable document may be the owner's, so it takes precedence over an unused name.
      if (read.kind === 'unreadable') return { read, documentName, setAsideFirst: true };
      if (read.kind === 'absent') free ??= { read, documentName, setAsideFirst: false };
    }
    return free ?? { read: { kind: 'absent' }, documentName: shared, setAsideFirst: true };
  }

  /** Reads the document of an earlier version; `absent` if it is another account's, which moves it when it signs in. */
  async #readEarlier(opening: Opening): Promise<StoredDocument<LicenseDocument>> {
    const read = await readDocument(this.#deps.secrets, earlierDocumentName, storedDocument, 3);
    return read.kind === 'value' && !isOwned(read.value.binding, opening) ? { kind: 'absent' } : read;
  }

  async #moveEarlier(owner: Owner, location: Location): Promise<void> {
    const { secrets, log } = this.#deps;
    if (!(await this.#write(owner, location))) return;
    await this.#writes
      .run(() => secrets.remove(earlierDocumentName))
      .catch(() => log.warn('the license document of an earlier version could not be removed'));
  }
}

/** Returns the same name for the same owner, without revealing who that is. */
async function documentNameFor(parts: readonly string[], subtle: Pick<Subtle, 'digest'>): Promise<string> {
  const text = new TextEncoder().encode(parts.join('\n').toWellFormed());
  const hash = new Uint8Array(await subtle.digest('SHA-256', text));
  return `license-${[...hash.slice(0, 16)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

function isOwned({ serverAddress, accountId, deviceId }: Owner, { owner, movedFrom }: Opening): boolean {
  if (accountId !== owner.accountId || deviceId !== owner.deviceId) return false;
  return serverAddress === owner.serverAddress || serverAddress === movedFrom;
}

/** What is stored about the license of this device, for one server, account and device. */
import { z } from 'zod';
import { timestamp } from '../../shared/api/fields.ts';
import { validateLicenseResponse } from '../../shared/api/license.ts';
import { subscriptionStatusResponse } from '../../shared/api/subscription.ts';
import { activityEntry } from './activity-log.ts';
import type { Log, SecretStore } from './platform.ts';
import { SerialQueue } from './serial-queue.ts';
import { quarantineDocument, readDocument } from './stored-document.ts';

const documentName = 'license';

/** What this device did to its activation after the last validation. */
const localChange = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('activated'), activations: z.int(), maxActivations: z.int(), at: timestamp }),
  z.object({ kind: z.literal('released'), at: timestamp }),
]);

const commonFacts = z.object({
  licenseKey: z.string().min(1).nullable(),
  /** The activation of this device with that key, if the server has named it. */
  activationId: z.string().nullable(),
  apiKey: z.object({ prefix: z.string(), isLegacy: z.boolean(), createdAt: timestamp }).nullable(),
  /** Newest first. */
  activity: z.array(activityEntry).catch([]),
  /** The highest wall time since the last conclusive response. */
  highestWallMs: z.number(),
});

const licenseFacts = commonFacts.extend({
  localChange: localChange.nullable(),
  /** The last conclusive response about that key on this device, as the server sent it. */
  validation: z.object({ response: validateLicenseResponse, at: timestamp }).nullable(),
  /** The last conclusive response about the account, as the server sent it. */
  status: z.object({ response: subscriptionStatusResponse, at: timestamp }).nullable(),
});
export type LicenseFacts = z.infer<typeof licenseFacts>;
export type LocalChange = z.infer<typeof localChange>;

const binding = z.object({ serverAddress: z.string(), accountId: z.string(), deviceId: z.string() });
type Binding = z.infer<typeof binding>;

const version2 = z.object({ version: z.literal(2), binding, facts: licenseFacts });

/** Version 1 had no local changes: activating and releasing changed the stored validation instead. */
const version1 = z.object({
  version: z.literal(1),
  binding,
  facts: commonFacts.extend({
    validation: z.object({ answer: validateLicenseResponse, at: timestamp }).nullable(),
    status: z.object({ answer: subscriptionStatusResponse, at: timestamp }).nullable(),
  }),
});

const storedDocument = z.union([version2, version1.transform(migrate)]);

function migrate({ binding, facts }: z.infer<typeof version1>): z.infer<typeof version2> {
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

const noFacts: LicenseFacts = {
  licenseKey: null,
  activationId: null,
  localChange: null,
  validation: null,
  status: null,
  apiKey: null,
  activity: [],
  highestWallMs: 0,
};

export type LicenseStoreDeps = { readonly secrets: SecretStore; readonly log: Log };

/** `unreadable`: something is stored that cannot be read now; only a new license key may replace it. */
type State = { readonly kind: 'closed' } | { readonly kind: 'open' | 'unreadable'; readonly binding: Binding };

export class LicenseStore {
  readonly #deps: LicenseStoreDeps;
  readonly #writes = new SerialQueue();
  #state: State = { kind: 'closed' };
  #facts: LicenseFacts = noFacts;

  constructor(deps: LicenseStoreDeps) {
    this.#deps = deps;
  }

  get facts(): LicenseFacts {
    return this.#facts;
  }

  /** Reads what is stored for exactly this server, account and device; ignores anything else. */
  async open(binding: Binding): Promise<void> {
    this.#facts = noFacts;
    this.#state = { kind: 'open', binding };
    await this.#read(binding);
  }

  /** Tries again to read what was unreadable; otherwise does nothing. */
  async retryRead(): Promise<void> {
    if (this.#state.kind === 'unreadable') await this.#read(this.#state.binding);
  }

  /** Changes the facts at once; resolves once they are on the disk or the disk has failed. Never rejects. */
  async update(change: Partial<LicenseFacts>): Promise<void> {
    this.#facts = { ...this.#facts, ...change };
    if (this.#state.kind === 'unreadable' && change.licenseKey) {
      const { binding } = this.#state;
      await quarantineDocument(this.#deps.secrets, documentName, this.#deps.log);
      if (this.#isBoundTo(binding)) this.#state = { kind: 'open', binding };
    }
    await this.save();
  }

  /** Forgets the facts in memory; the disk keeps them for the next sign-in of the same account. */
  close(): void {
    this.#state = { kind: 'closed' };
    this.#facts = noFacts;
  }

  /** Writes the facts to the store, e.g. after the storage has changed. Never rejects. */
  async save(): Promise<void> {
    if (this.#state.kind !== 'open') return;
    const { secrets, log } = this.#deps;
    const text = JSON.stringify({ version: 2, binding: this.#state.binding, facts: this.#facts });
    await this.#writes
      .run(() => secrets.write(documentName, text))
      .catch(() => log.warn('the license could not be stored'));
  }

  /** Waits for writes in progress. */
  flush(): Promise<void> {
    return this.#writes.idle();
  }

  async #read(binding: Binding): Promise<void> {
    const { secrets, log } = this.#deps;
    const read = await readDocument(secrets, documentName, storedDocument);
    if (!this.#isBoundTo(binding)) return;
    this.#state = { kind: read.kind === 'unreadable' ? 'unreadable' : 'open', binding };
    if (read.kind === 'unreadable') log.warn('the stored license cannot be read');
    if (read.kind !== 'value' || !isSameBinding(read.value.binding, binding)) return;
    // A status that was received while the document was unreadable is newer than the stored one.
    this.#facts = { ...read.value.facts, ...(this.#facts.status ? { status: this.#facts.status } : {}) };
  }

  #isBoundTo(binding: Binding): boolean {
    return this.#state.kind !== 'closed' && this.#state.binding === binding;
  }
}

function isSameBinding(one: Binding, other: Binding): boolean {
  return (
    one.serverAddress === other.serverAddress && one.accountId === other.accountId && one.deviceId === other.deviceId
  );
}

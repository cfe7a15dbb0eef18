/** What is known of this device's license, sealed on the disk and bound to one server, account and device. */
import { z } from 'zod';
import { timestamp } from '../../shared/api/fields.ts';
import { validateLicenseResponse } from '../../shared/api/license.ts';
import { subscriptionStatusResponse } from '../../shared/api/subscription.ts';
import { activityEntry } from './activity-log.ts';
import type { Log, SecretStore } from './platform.ts';

const storeName = 'license';
const asideName = 'license-unreadable';

const savedFacts = z.object({
  licenseKey: z.string().min(1).nullable(),
  /** The activation of this device under that key, where the server told it. */
  activationId: z.string().nullable(),
  /** The last conclusive answer for that key on this device. */
  validation: z.object({ answer: validateLicenseResponse, at: timestamp }).nullable(),
  /** The last conclusive answer about the account. */
  status: z.object({ answer: subscriptionStatusResponse, at: timestamp }).nullable(),
  apiKey: z.object({ prefix: z.string(), isLegacy: z.boolean(), createdAt: timestamp }).nullable(),
  /** What happened lately, newest first. */
  activity: z.array(activityEntry).catch([]),
  /** Where the clock stood at the highest since the last conclusive answer. */
  highestWallMs: z.number(),
});
export type SavedFacts = z.infer<typeof savedFacts>;

const binding = z.object({ serverAddress: z.string(), accountId: z.string(), deviceId: z.string() });
type Binding = z.infer<typeof binding>;

const savedDocument = z.object({ version: z.literal(1), binding, facts: savedFacts });

const nothingSaved: SavedFacts = {
  licenseKey: null,
  activationId: null,
  validation: null,
  status: null,
  apiKey: null,
  activity: [],
  highestWallMs: 0,
};

export type SavedState = {
  readonly facts: () => SavedFacts;
  /** Takes up what was saved for exactly this server, account and device; anything else is left alone. */
  readonly open: (binding: Binding) => Promise<void>;
  /** Tries again to read what was unreadable; nothing happens otherwise. */
  readonly reopen: () => Promise<void>;
  /** Changes what is known at once, and fulfils when it is on the disk or the disk has refused. Never rejects. */
  readonly update: (change: Partial<SavedFacts>) => Promise<void>;
  /** Forgets in memory; the disk keeps what it has. */
  readonly close: () => void;
  /** Writes again, after the way of keeping has changed. */
  readonly keep: () => Promise<void>;
  /** Waits for writes that are under way. */
  readonly settled: () => Promise<void>;
};

/** The saved state of nobody yet. */
export function createSavedState({ secrets, log }: { readonly secrets: SecretStore; readonly log: Log }): SavedState {
  let bound: Binding | null = null;
  let facts = nothingSaved;
  /** Something is on the disk that could not be read: only a new license key may take its place. */
  let unreadable = false;
  let written: Promise<unknown> = Promise.resolve();

  async function load(target: Binding): Promise<void> {
    const read = await secrets.read(storeName);
    if (bound !== target) return;
    const document = read.kind === 'value' ? parseDocument(read.value) : null;
    unreadable = read.kind === 'unreadable' || (read.kind === 'value' && read.value !== '' && document === null);
    if (unreadable) log.warn('what was saved of the license cannot be read');
    if (document && sameBinding(document.binding, target)) facts = { ...document.facts, ...newerThan(facts) };
  }

  function inTurn(write: () => Promise<void>): Promise<void> {
    const done = written.then(write);
    written = done.catch(() => undefined);
    return done;
  }

  async function keep(): Promise<void> {
    if (!bound || unreadable) return;
    const text = JSON.stringify({ version: 1, binding: bound, facts });
    await inTurn(() => secrets.write(storeName, text)).catch(() => log.warn('the license could not be saved'));
  }

  return {
    facts: () => facts,
    open: async (target) => {
      bound = target;
      facts = nothingSaved;
      unreadable = false;
      await load(target);
    },
    reopen: async () => {
      if (bound && unreadable) await load(bound);
    },
    update: async (change) => {
      facts = { ...facts, ...change };
      if (unreadable && change.licenseKey) {
        await keepAside(secrets, log);
        unreadable = false;
      }
      await keep();
    },
    close: () => {
      bound = null;
      facts = nothingSaved;
      unreadable = false;
    },
    keep,
    settled: async () => void (await written),
  };
}

/** What was learnt since the document could not be read is newer than what it holds. */
function newerThan(facts: SavedFacts): Partial<SavedFacts> {
  return facts.status ? { status: facts.status } : {};
}

/** Text that is there but is not ours to understand stays on the disk under another name. */
async function keepAside(secrets: SecretStore, log: Log): Promise<void> {
  const read = await secrets.read(storeName);
  if (read.kind !== 'value') return;
  await secrets.write(asideName, read.value).catch(() => log.warn('the unreadable license could not be kept aside'));
}

function parseDocument(text: string): z.infer<typeof savedDocument> | null {
  try {
    return savedDocument.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function sameBinding(one: Binding, other: Binding): boolean {
  return (
    one.serverAddress === other.serverAddress && one.accountId === other.accountId && one.deviceId === other.deviceId
  );
}

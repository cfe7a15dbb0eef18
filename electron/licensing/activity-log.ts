/** The latest activity on this device, newest first and limited in length. */
import { z } from 'zod';
import { timestamp } from '../../shared/api/fields.ts';
import { type ActivityEntry, type ActivityKind, activityKinds } from '../../shared/ipc/app-state.ts';
import { toTimestamp } from './failure.ts';
import type { Clock } from './platform.ts';

/** Earlier versions stored `license-rejected` under this name. */
const earlierName = z.literal('license-refused').transform(() => 'license-rejected' as const);

/** Schema of a stored entry. */
export const activityEntry = z.object({
  id: z.int(),
  at: timestamp,
  kind: z.union([z.enum(activityKinds), earlierName]),
  detail: z.string().nullable(),
});

const maxEntries = 200;
/** Heartbeats are automatic and must not displace what the user did. */
const maxHeartbeats = 100;

type ActivityLogDeps = { readonly clock: Clock };

export class ActivityLog {
  readonly #deps: ActivityLogDeps;
  #entries: readonly ActivityEntry[] = [];
  #nextId = 1;

  constructor(deps: ActivityLogDeps) {
    this.#deps = deps;
  }

  get entries(): readonly ActivityEntry[] {
    return this.#entries;
  }

  add(kind: ActivityKind, detail: string | null = null): void {
    this.#insert(toTimestamp(this.#deps.clock.now()), kind, detail);
  }

  /** Replaces all entries, e.g. with those of another account. */
  replace(entries: readonly ActivityEntry[]): void {
    this.#entries = entries;
    this.#nextId = Math.max(this.#nextId, ...entries.map(({ id }) => id + 1));
  }

  /** Puts entries behind those of this run, which could not be read before. */
  append(earlier: readonly ActivityEntry[]): void {
    const since = this.#entries;
    this.replace(earlier);
    for (const { at, kind, detail } of since.toReversed()) this.#insert(at, kind, detail);
  }

  #insert(at: string, kind: ActivityKind, detail: string | null): void {
    const entry = { id: this.#nextId++, at, kind, detail };
    this.#entries = limitHeartbeats([entry, ...this.#entries]).slice(0, maxEntries);
  }
}

function limitHeartbeats(entries: readonly ActivityEntry[]): readonly ActivityEntry[] {
  const oldest = entries.filter((entry) => entry.kind === 'heartbeat')[maxHeartbeats];
  return oldest ? entries.filter((entry) => entry !== oldest) : entries;
}

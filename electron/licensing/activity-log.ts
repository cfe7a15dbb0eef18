/** The latest things that happened, newest first and bounded. */
import { z } from 'zod';
import { timestamp } from '../../shared/api/fields.ts';
import { type ActivityEntry, type ActivityKind, activityKinds } from '../../shared/ipc/app-state.ts';
import { instantOf } from './failure.ts';
import type { Clock } from './platform.ts';

/** An entry as it is saved. */
export const activityEntry = z.object({
  id: z.int(),
  at: timestamp,
  kind: z.enum(activityKinds),
  detail: z.string().nullable(),
});

const mostEntries = 200;
/** Heartbeats come by themselves and must not push out what a person did. */
const mostHeartbeats = 100;

export type ActivityLog = {
  readonly entries: () => readonly ActivityEntry[];
  readonly add: (kind: ActivityKind, detail?: string | null) => void;
  /** Takes the place of all entries: those of the account that has come. */
  readonly replace: (entries: readonly ActivityEntry[]) => void;
};

/** An empty log. */
export function createActivityLog(clock: Clock): ActivityLog {
  let entries: readonly ActivityEntry[] = [];
  let nextId = 1;
  return {
    entries: () => entries,
    add: (kind, detail = null) => {
      const entry: ActivityEntry = { id: nextId++, at: instantOf(clock.now()), kind, detail };
      entries = withoutSurplusHeartbeats([entry, ...entries]).slice(0, mostEntries);
    },
    replace: (next) => {
      entries = next;
      nextId = Math.max(nextId, ...next.map(({ id }) => id + 1));
    },
  };
}

function withoutSurplusHeartbeats(entries: readonly ActivityEntry[]): readonly ActivityEntry[] {
  const oldest = entries.filter((entry) => entry.kind === 'heartbeat')[mostHeartbeats];
  return oldest ? entries.filter((entry) => entry !== oldest) : entries;
}

/** The latest things that happened, newest first and bounded. */
import type { ActivityEntry, ActivityKind } from '../../shared/ipc/app-state.ts';
import { instantOf } from './failure.ts';
import type { Clock } from './platform.ts';

const mostEntries = 200;
/** Heartbeats come by themselves and must not push out what a person did. */
const mostHeartbeats = 100;

export type ActivityLog = {
  readonly entries: () => readonly ActivityEntry[];
  readonly add: (kind: ActivityKind, detail?: string | null) => void;
  readonly clear: () => void;
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
    clear: () => {
      entries = [];
    },
  };
}

function withoutSurplusHeartbeats(entries: readonly ActivityEntry[]): readonly ActivityEntry[] {
  const oldest = entries.filter((entry) => entry.kind === 'heartbeat')[mostHeartbeats];
  return oldest ? entries.filter((entry) => entry !== oldest) : entries;
}

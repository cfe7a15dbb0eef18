/** Groups the activity by the day on which it happened. */
import type { ActivityEntry } from '../../shared/ipc/app-state.ts';

/** In the order given (newest first); each group is named by the instant of its first entry. */
export function activityByDay(
  entries: readonly ActivityEntry[],
): readonly (readonly [string, readonly ActivityEntry[]])[] {
  const days = new Map<string, ActivityEntry[]>();
  for (const entry of entries) {
    const key = new Date(entry.at).toDateString();
    days.set(key, [...(days.get(key) ?? []), entry]);
  }
  return [...days.values()].map((group) => [group[0]?.at ?? '', group] as const);
}

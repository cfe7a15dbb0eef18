/** Searches, filters and groups by day the entries of the activity list and the timeline, as they are shown. */
import type { Tone } from '../components/Banner.tsx';
import { containsText } from './contains-text.ts';

export type ShownEntry = {
  readonly id: string | number;
  readonly at: string;
  /** Color of the mark; it adds nothing to the text. */
  readonly tone: Tone;
  readonly text: string;
  /** What follows the text; `null` if nothing does. */
  readonly detail: string | null;
  /** True if it repeats at intervals and changes nothing. */
  readonly isRoutine: boolean;
  /** The exact names and values behind the text, if any. */
  readonly facts?: readonly (readonly [name: string, value: string])[];
};

/** The views of a list; `changes` are all entries that are not routine. */
export const entryViews = ['all', 'changes', 'problems'] as const;
export type EntryView = (typeof entryViews)[number];

type EntrySearch = { readonly view: EntryView; readonly query: string };

/** Returns the entries of a view whose shown text contains the query. */
export function findEntries(
  entries: readonly ShownEntry[],
  { view, query }: EntrySearch,
  locale: string,
): readonly ShownEntry[] {
  const part = query.trim();
  const hasPart = ({ text, detail }: ShownEntry) => containsText(`${text} ${detail ?? ''}`, part, locale);
  return entries.filter((entry) => isInView(entry, view) && (part === '' || hasPart(entry)));
}

function isInView({ tone, isRoutine }: ShownEntry, view: EntryView): boolean {
  if (view === 'changes') return !isRoutine;
  return view === 'all' || tone === 'attention' || tone === 'blocked';
}

/** Groups entries by local day and keeps their order; each group comes with the time of its first entry. */
export function entriesByDay(entries: readonly ShownEntry[]): readonly (readonly [string, readonly ShownEntry[]])[] {
  const days = new Map<string, ShownEntry[]>();
  for (const entry of entries) {
    const key = new Date(entry.at).toDateString();
    days.set(key, [...(days.get(key) ?? []), entry]);
  }
  return [...days.values()].map((group) => [group[0]?.at ?? '', group] as const);
}

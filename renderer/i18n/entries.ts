/** Entries of a list of what happened, as they are shown: how they are searched, filtered and grouped by day. */
import type { Tone } from '../components/Banner.tsx';
import { containsText } from './contains-text.ts';

export type ShownEntry = {
  readonly id: string | number;
  readonly at: string;
  /** The color of its mark; the text says the same. */
  readonly tone: Tone;
  readonly text: string;
  /** What follows the text; `null` if nothing does. */
  readonly detail: string | null;
  /** Whether it repeats at intervals and changes nothing. */
  readonly isRoutine: boolean;
  /** The exact names and values behind the words, where there are any. */
  readonly facts?: readonly (readonly [name: string, value: string])[];
};

/** Which entries are shown: `changes` are all but those that repeat at intervals. */
export const entryViews = ['all', 'changes', 'problems'] as const;
export type EntryView = (typeof entryViews)[number];

export type EntrySearch = { readonly view: EntryView; readonly query: string };

/** The entries of a view whose words, as they are shown, have what is searched for. */
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

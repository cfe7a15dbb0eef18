/** Which warnings a person should see, from what the heartbeats say. Pure. */

import { crc32 } from '../../shared/formats/crc32.ts';
import type { Warning } from '../../shared/ipc/app-state.ts';

export type WarningList = {
  readonly shown: readonly Warning[];
  /** What was dismissed, until it ends or gets worse. */
  readonly dismissed: readonly Warning[];
};

export const noWarnings: WarningList = { shown: [], dismissed: [] };

export type WarningStep = {
  readonly list: WarningList;
  /** The warning that is new or has become worse, to be told at once. */
  readonly news: Warning | null;
};

/** The list after a heartbeat: its warning stays, is new or worse; one that it does not name has ended. */
export function takeHeartbeat(list: WarningList, text: string | null, at: string): WarningStep {
  if (text === null) return { list: noWarnings, news: null };
  const id = idOf(text);
  const shown = list.shown.find((warning) => warning.id === id);
  const dismissed = list.dismissed.find((warning) => warning.id === id);
  const before = shown ?? dismissed;
  if (before && !isWorse(text, before.text)) {
    const same = { ...before, text };
    return { list: shown ? { shown: [same], dismissed: [] } : { shown: [], dismissed: [same] }, news: null };
  }
  const news = { id, text, since: at };
  return { list: { shown: [news], dismissed: [] }, news };
}

/** The list after the person has waved a warning away. */
export function dismissWarning(list: WarningList, id: string): WarningList {
  const gone = list.shown.filter((warning) => warning.id === id);
  return {
    shown: list.shown.filter((warning) => warning.id !== id),
    dismissed: [...list.dismissed, ...gone],
  };
}

const numbers = /\d+/g;

/** Two texts that differ in their numbers only have the same cause. */
function idOf(text: string): string {
  return `warning-${crc32(text.replace(numbers, '#')).toString(16)}`;
}

function isWorse(text: string, before: string): boolean {
  const now = text.match(numbers) ?? [];
  const then = before.match(numbers) ?? [];
  return now.some((number, index) => Number(number) > Number(then[index] ?? 0));
}

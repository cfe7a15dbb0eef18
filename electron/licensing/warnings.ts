/** Which server warnings are shown, according to the heartbeats. Pure. */
import { z } from 'zod';
import { crc32 } from '../../shared/formats/crc32.ts';
import type { Warning } from '../../shared/ipc/app-state.ts';

export const storedWarning = z.object({ id: z.string(), text: z.string(), since: z.string() });

export type WarningList = {
  readonly shown: readonly Warning[];
  /** Stay dismissed until they end or get worse. */
  readonly dismissed: readonly Warning[];
};

export const noWarnings: WarningList = { shown: [], dismissed: [] };

type WarningUpdate = {
  readonly list: WarningList;
  /** The warning, if it is new or has become worse. */
  readonly added: Warning | null;
};

/** Returns the list after a heartbeat, which has at most one warning; all others have ended. */
export function updateWarnings(list: WarningList, text: string | null, at: string): WarningUpdate {
  if (text === null) return { list: noWarnings, added: null };
  const id = warningId(text);
  const shown = list.shown.find((warning) => warning.id === id);
  const dismissed = list.dismissed.find((warning) => warning.id === id);
  const before = shown ?? dismissed;
  if (before && !isWorse(text, before.text)) {
    const same = { ...before, text };
    return { list: shown ? { shown: [same], dismissed: [] } : { shown: [], dismissed: [same] }, added: null };
  }
  const added = { id, text, since: at };
  return { list: { shown: [added], dismissed: [] }, added };
}

/** Returns the list after the user has dismissed a warning. */
export function dismissWarning(list: WarningList, id: string): WarningList {
  return {
    shown: list.shown.filter((warning) => warning.id !== id),
    dismissed: [...list.dismissed, ...list.shown.filter((warning) => warning.id === id)],
  };
}

const numbers = /\d+/g;

/** Texts that differ only in their numbers have the same cause. */
function warningId(text: string): string {
  return `warning-${crc32(text.replace(numbers, '#')).toString(16)}`;
}

function isWorse(text: string, before: string): boolean {
  const now = text.match(numbers) ?? [];
  const then = before.match(numbers) ?? [];
  return now.some((number, index) => Number(number) > Number(then[index] ?? 0));
}

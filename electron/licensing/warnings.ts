/** Which server warnings are shown, according to the heartbeats. Pure. */
import { z } from 'zod';
import { crc32 } from '../../shared/formats/crc32.ts';
import type { Warning } from '../../shared/ipc/app-state.ts';

/** Earlier versions did not store the language. */
export const storedWarning = z.object({
  id: z.string(),
  text: z.string(),
  since: z.string(),
  language: z.string().optional(),
});

type ReceivedWarning = Warning & { readonly language?: string | undefined };

export type WarningList = {
  readonly shown: readonly ReceivedWarning[];
  /** Stay dismissed until a heartbeat has no warning, or until they get worse. */
  readonly dismissed: readonly ReceivedWarning[];
};

export const noWarnings: WarningList = { shown: [], dismissed: [] };

type WarningUpdate = {
  readonly list: WarningList;
  /** The warning, if it is new or has become worse. */
  readonly added: Warning | null;
};

/**
 * Returns the list after a heartbeat, which has only the first of the warnings that apply: the dismissed ones may still
 * apply, so that they are not shown again when it is their turn.
 */
export function updateWarnings(
  list: WarningList,
  received: { readonly text: string; readonly at: string; readonly language: string } | null,
): WarningUpdate {
  if (received === null) return { list: noWarnings, added: null };
  const { text, at, language } = received;
  const id = warningId(text);
  const isSame = (warning: ReceivedWarning) =>
    warning.id === id || ((warning.language ?? language) !== language && haveSameNumbers(warning.text, text));
  const shown = list.shown.find(isSame);
  const before = shown ?? list.dismissed.find(isSame);
  const isNew = before === undefined || (before.id === id && isWorse(text, before.text));
  const warning = { id, text, since: isNew ? at : before.since, language };
  if (!isNew && !shown) {
    const dismissed = list.dismissed.map((each) => (each === before ? warning : each));
    return { list: { shown: [], dismissed }, added: null };
  }
  const dismissed = list.dismissed.filter((each) => each !== before);
  return { list: { shown: [warning], dismissed }, added: isNew ? warning : null };
}

/** A server may reword its warning each time. */
const maxDismissed = 20;

/** Returns the list after the user has dismissed a warning. */
export function dismissWarning(list: WarningList, id: string): WarningList {
  return {
    shown: list.shown.filter((warning) => warning.id !== id),
    dismissed: [...list.dismissed, ...list.shown.filter((warning) => warning.id === id)].slice(-maxDismissed),
  };
}

const numbers = /\d+/g;

/** Texts that differ only in their numbers have the same cause. */
function warningId(text: string): string {
  return `warning-${crc32(text.replace(numbers, '#')).toString(16)}`;
}

/** Texts in two languages that have the same numbers, in any order, are taken for the same warning. */
function haveSameNumbers(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => (text.match(numbers) ?? []).toSorted().join());
  return first === second;
}

function isWorse(text: string, before: string): boolean {
  const now = text.match(numbers) ?? [];
  const then = before.match(numbers) ?? [];
  return now.some((number, index) => Number(number) > Number(then[index] ?? 0));
}

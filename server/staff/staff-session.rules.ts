/** When the last confirmation of a member of staff is too old. When the session ends: `browser-session.rules.ts`. */

const confirmedForMs = 5 * 60_000;

/** Until when what cannot be undone needs no other confirmation; `undefined` if it needs one. */
export function readConfirmedUntil(
  { confirmed_at_ms }: { readonly confirmed_at_ms: number },
  nowMs: number,
): number | undefined {
  const untilMs = confirmed_at_ms + confirmedForMs;
  return nowMs >= confirmed_at_ms && nowMs < untilMs ? untilMs : undefined;
}

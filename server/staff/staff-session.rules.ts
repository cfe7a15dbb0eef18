/**
 * Decides when the confirmation of a staff member expires. For the end of the session, see `browser-session.rules.ts`.
 */

const confirmedForMs = 5 * 60_000;

/** Returns until when irreversible actions need no further confirmation; `undefined` if they need one now. */
export function readConfirmedUntil(
  { confirmed_at_ms }: { readonly confirmed_at_ms: number },
  nowMs: number,
): number | undefined {
  const untilMs = confirmed_at_ms + confirmedForMs;
  return nowMs >= confirmed_at_ms && nowMs < untilMs ? untilMs : undefined;
}

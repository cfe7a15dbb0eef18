/** Focuses the list of sessions, where the user signs out other devices. */
export const sessionsHeadingId = 'setting-sessions';

export function focusSessions(): void {
  document.getElementById(sessionsHeadingId)?.focus();
}

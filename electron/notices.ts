/** Decides which changes of the state a person is told of outside of the window. */
import type { AppState, BlockedReason } from '../shared/ipc/app-state.ts';

export type Notice = { readonly title: string; readonly body: string };

const blockedSentences: Readonly<Record<BlockedReason, string>> = {
  revoked: 'Your license was revoked.',
  expired: 'Your license has expired.',
  suspended: 'Your license is suspended.',
  'subscription-ended': 'Your subscription has ended.',
  'not-found': 'Your license is not known to the server.',
};

/** The notices for a change from one state to the next: each new warning, and a license that becomes blocked. */
export function noticesBetween(before: AppState, after: AppState): Notice[] {
  return [...blockedNotice(before, after), ...warningNotices(before, after)];
}

function blockedNotice(before: AppState, after: AppState): Notice[] {
  if (after.license.kind !== 'blocked') return [];
  const { reason } = after.license;
  if (before.license.kind === 'blocked' && before.license.reason === reason) return [];
  return [{ title: 'Latchkey', body: blockedSentences[reason] }];
}

function warningNotices(before: AppState, after: AppState): Notice[] {
  const known = new Set(before.warnings.map(({ id }) => id));
  return after.warnings
    .filter(({ id }) => !known.has(id))
    .map(({ text }) => ({ title: 'Latchkey: please have a look', body: text }));
}

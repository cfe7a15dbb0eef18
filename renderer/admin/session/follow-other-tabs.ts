/** Follows who signs in or out in another tab: it has the same cookie, so calls of this one are made as them. */
import type { QueryClient } from '@tanstack/react-query';
import { sendCall } from '../api/admin-calls.ts';
import { setSignedIn, setSignedOut, signedInStaffId, useSession } from './session-store.ts';

type SessionState = ReturnType<typeof useSession.getState>;

/** Returns how to stop. */
export function followOtherTabs(queries: QueryClient): () => void {
  const channel = new BroadcastChannel('latchkey.admin.session');
  channel.addEventListener('message', () => void follow(queries));
  // The browser shows the page again as it was left.
  const onShown = ({ persisted }: PageTransitionEvent) => {
    if (persisted) void follow(queries);
  };
  window.addEventListener('pageshow', onShown);
  const stopTelling = useSession.subscribe((state, before) => {
    const isChanged = signedInStaffId(state) !== signedInStaffId(before);
    if (isChanged && isSettled(before) && isSettled(state)) channel.postMessage(null);
  });
  return () => {
    stopTelling();
    window.removeEventListener('pageshow', onShown);
    channel.close();
  };
}

/** What was read and begun as somebody else goes with them. */
async function follow(queries: QueryClient): Promise<void> {
  if (!isSettled(useSession.getState())) return;
  const result = await sendCall('staffSession');
  const shownId = signedInStaffId();
  const isOther = result.ok && result.value.staff.id !== shownId;
  const isOver = !result.ok && result.failure.code === 'INVALID_TOKEN' && shownId !== null;
  if (!isOther && !isOver) return;
  queries.clear();
  setSignedOut();
  if (isOther) setSignedIn(result.value);
}

/** Not while the page starts, and not in a window that has something else to do. */
function isSettled({ kind }: SessionState): boolean {
  return kind === 'signed-in' || kind === 'signed-out';
}

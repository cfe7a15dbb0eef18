/** Follows sign-ins and sign-outs in other tabs, whose session cookie the calls of this tab use too. */
import type { QueryClient } from '@tanstack/react-query';
import { openTabChannel } from '../../components/tab-channel.ts';
import { sendCall } from '../api/admin-calls.ts';
import { setSignedIn, setSignedOut, signedInStaffId, useSession } from './session-store.ts';

type SessionState = ReturnType<typeof useSession.getState>;

/** Starts following; returns a function that stops it. */
export function followOtherTabs(queries: QueryClient): () => void {
  const otherTabs = openTabChannel('latchkey.admin.session', () => void follow(queries));
  const stopTelling = useSession.subscribe((state, before) => {
    const isChanged = signedInStaffId(state) !== signedInStaffId(before);
    if (isChanged && isSettled(before) && isSettled(state)) otherTabs.notify();
  });
  return () => {
    stopTelling();
    otherTabs.close();
  };
}

/** Adopts the session of the cookie, and discards everything loaded or started as the previous user. */
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

/** False while the page is starting, and in a window opened for a one-time link or the identity provider. */
function isSettled({ kind }: SessionState): boolean {
  return kind === 'signed-in' || kind === 'signed-out';
}

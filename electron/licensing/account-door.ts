/** Who comes and goes: sign-in, sign-up, sign-out, the end of a session and the change of server, one at a time. */
import type { TokenSet, User } from '../../shared/api/auth.ts';
import type { SessionState, SignedOutReason } from '../../shared/ipc/app-state.ts';
import { type Done, fail, succeed } from '../../shared/ipc/result.ts';
import type { ApiClient } from './api-client.ts';
import { failureNow } from './failure.ts';
import type { Clock, Log, SecretStore } from './platform.ts';
import type { ApiOutcome } from './read-answer.ts';
import type { SavedState } from './saved-state.ts';
import type { Session } from './session.ts';
import { readSession } from './session-document.ts';

export type AccountDoor = {
  /** Where nobody is signed in, why. */
  readonly absent: () => Exclude<SessionState, { kind: 'signed-in' }>;
  /** Takes up a kept session, at start. */
  readonly resume: () => Promise<void>;
  readonly signIn: (input: { readonly email: string; readonly password: string }) => Promise<Done>;
  readonly signUp: (input: {
    readonly email: string;
    readonly password: string;
    readonly fullName: string;
  }) => Promise<Done>;
  readonly signOut: (allDevices: boolean) => Promise<Done>;
  /** The server has ended the session. */
  readonly endSession: (reason: SignedOutReason) => void;
  /** Leaves the present server, where somebody is signed in there. */
  readonly leaveServer: () => Promise<void>;
};

export type AccountDoorParts = {
  readonly api: ApiClient;
  readonly session: Session;
  readonly saved: SavedState;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly serverAddress: () => string;
  readonly deviceId: () => string;
  /** Somebody is in; what was saved for them is there already. */
  readonly onEntered: (user: User, how: 'signed-in' | 'resumed') => void;
  /** Nobody is in any more: schedules end, what belonged to the account is forgotten. */
  readonly onLeft: (reason: SignedOutReason | null) => void;
};

const longestGoodbyeMs = 3000;

/** A door that nobody has come through. */
export function createAccountDoor(parts: AccountDoorParts): AccountDoor {
  const { api, session, saved, clock } = parts;
  let absent: ReturnType<AccountDoor['absent']> = { kind: 'starting' };
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = turn.then(act);
    turn = done.catch(() => undefined);
    return done;
  }

  async function enter(outcome: ApiOutcome<TokenSet>): Promise<Done> {
    if (outcome.kind !== 'answer') return fail(outcome.failure);
    if (session.user()) {
      void sayGoodbye(false);
      left(null);
      saved.close();
    }
    await session.open(outcome.answer, parts.serverAddress(), outcome.serverTimeMs);
    await openSaved(outcome.answer.user);
    parts.onEntered(outcome.answer.user, 'signed-in');
    return succeed(null);
  }

  function openSaved(user: User): Promise<void> {
    return saved.open({ serverAddress: parts.serverAddress(), accountId: user.id, deviceId: parts.deviceId() });
  }

  function left(reason: SignedOutReason | null): void {
    absent = { kind: 'signed-out', reason };
    parts.onLeft(reason);
  }

  /** Tells the server; nothing here depends on its answer. */
  function sayGoodbye(allDevices: boolean): Promise<ApiOutcome<unknown>> | null {
    const refreshToken = session.refreshToken();
    if (refreshToken === null) return null;
    const body = { refresh_token: refreshToken, ...(allDevices ? { all_devices: true } : {}) };
    return api.call('logout', { body, serverAddress: session.serverAddress() ?? parts.serverAddress() });
  }

  async function signOut(allDevices: boolean): Promise<Done> {
    if (!session.user()) return succeed(null);
    if (allDevices) await session.settled();
    const goodbye = sayGoodbye(allDevices);
    const everywhere = allDevices ? await goodbye : null;
    // The device stays activated, so what was saved of its license waits, sealed, for the same account.
    saved.close();
    const closing = session.close();
    left(null);
    const removed = await closing.then(
      () => true,
      () => false,
    );
    if (!removed) {
      return fail(failureNow(clock, 'STORE_UNAVAILABLE', 'The stored session could not be removed.'));
    }
    if (everywhere && everywhere.kind !== 'answer') return fail(everywhere.failure);
    if (!allDevices)
      await Promise.race([goodbye, new Promise((resolve) => clock.setTimer(longestGoodbyeMs, () => resolve(null)))]);
    return succeed(null);
  }

  async function removeSession(): Promise<void> {
    await session.close().catch(() => parts.log.warn('the ended session could not be removed'));
  }

  return {
    absent: () => absent,
    resume: () =>
      inTurn(async () => {
        const read = await readSession(parts.secrets);
        if (read.kind === 'session' && read.session.serverAddress === parts.serverAddress()) {
          session.resume(read.session);
          await openSaved(read.session.user);
          parts.onEntered(read.session.user, 'resumed');
          return;
        }
        left(read.kind === 'unreadable' ? 'store-unreadable' : null);
      }),
    signIn: ({ email, password }) =>
      inTurn(async () => enter(await api.call('login', { body: { email: email.trim(), password } }))),
    signUp: ({ email, password, fullName }) =>
      inTurn(async () => {
        const body = { email: email.trim(), password, full_name: fullName.trim() };
        return enter(await api.call('signup', { body }));
      }),
    signOut: (allDevices) => inTurn(() => signOut(allDevices)),
    endSession: (reason) => {
      saved.close();
      void removeSession();
      left(reason);
    },
    leaveServer: () =>
      inTurn(async () => {
        if (!session.user()) return;
        void sayGoodbye(false);
        saved.close();
        const closing = removeSession();
        left('server-changed');
        await closing;
      }),
  };
}

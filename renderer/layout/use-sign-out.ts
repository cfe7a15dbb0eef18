/** Sign-out from the account menu and the command palette. */
import { bridge } from '../account-bridge.ts';
import { showToast, withPendingToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { showSignOut, useApp } from '../store.ts';
import { useFailureToast } from '../use-action.ts';

type SignOut = (input: { readonly allDevices: boolean }) => void;

/** Returns the sign-out action, which asks first if nothing would work afterwards until the server is reachable. */
export function useSignOut(): SignOut {
  const signOut = useSignOutNow();
  const isOffline = useApp((app) => app.server.reachability.kind === 'offline');
  const works = useApp(({ license }) => license.kind === 'works' || license.kind === 'offline');
  return isOffline && works ? showSignOut : signOut;
}

/**
 * Returns an action that signs out immediately. Failures are shown as toasts, because the session and its screen may be
 * gone anyway. On all devices, the session goes on until the server has answered, so a toast says what is waited for.
 */
export function useSignOutNow(): SignOut {
  const { t } = useMessages();
  const showFailure = useFailureToast();
  return async ({ allDevices }) => {
    const work = runCommand(() => bridge.signOut({ allDevices }));
    const result = await (allDevices ? withPendingToast(t('account.signingOutAll'), work) : work);
    if (!result.ok) showFailure(result.failure);
    else if (allDevices) showToast(t('account.signedOutAll'));
  };
}

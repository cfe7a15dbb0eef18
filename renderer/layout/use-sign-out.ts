/** Signing out, from the account menu and the command palette. */
import { bridge } from '../account-bridge.ts';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { showSignOut, useApp } from '../store.ts';
import { useFailureToast } from '../use-action.ts';

type SignOut = (input: { readonly allDevices: boolean }) => void;

/** Asks first where nothing would work any more and only the server could change that. */
export function useSignOut(): SignOut {
  const signOut = useSignOutNow();
  const isOffline = useApp((app) => app.server.reachability.kind === 'offline');
  const works = useApp(({ license }) => license.kind === 'works' || license.kind === 'offline');
  return isOffline && works ? showSignOut : signOut;
}

/** Shows a failure as a toast: the session may be gone all the same, and its screen with it. */
export function useSignOutNow(): SignOut {
  const { t } = useMessages();
  const showFailure = useFailureToast();
  return ({ allDevices }) =>
    void runCommand(() => bridge.signOut({ allDevices })).then((result) => {
      if (!result.ok) showFailure(result.failure);
      else if (allDevices) showToast(t('account.signedOutAll'));
    });
}

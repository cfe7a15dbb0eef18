/** Hook for signing out of the admin page. */
import { useQueryClient } from '@tanstack/react-query';
import { showToast } from '../../components/toast-store.ts';
import { failureMessage } from '../../i18n/failure-message.ts';
import { sendCall } from '../api/admin-calls.ts';
import { useMessages } from '../i18n/messages.ts';
import { setSignedOut } from './session-store.ts';

/** Ends the session on the server and clears all loaded data; a session that has already ended is not a failure. */
export function useSignOut(): () => Promise<void> {
  const { t } = useMessages();
  const queries = useQueryClient();
  return async () => {
    const result = await sendCall('staffSignOut');
    if (!result.ok && result.failure.code !== 'INVALID_TOKEN') {
      showToast(failureMessage(result.failure, t).what, 'blocked');
      return;
    }
    queries.clear();
    window.location.hash = '#/overview';
    setSignedOut();
  };
}

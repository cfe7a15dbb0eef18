/** Offers to add a passkey right after a password sign-in. */
import { Fingerprint } from 'lucide-react';
import { useEffect } from 'react';
import type { StaffSession } from '../../../shared/api/admin/session.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { FailureAlert } from '../../components/FailureAlert.tsx';
import { showToast } from '../../components/toast-store.ts';
import { describeBrowser } from '../../i18n/describe-browser.ts';
import { useAction } from '../../use-action.ts';
import { useMessages } from '../i18n/messages.ts';
import { PasskeyUnavailable } from './PasskeyUnavailable.tsx';
import { addPasskey, canUsePasskeys } from './passkeys.ts';
import { SessionCard } from './SessionCard.tsx';
import { setSignedIn } from './session-store.ts';

export function OfferPasskey({ session }: { readonly session: StaffSession }) {
  const { t } = useMessages();
  const action = useAction();
  useEffect(() => {
    document.title = `${t('passkey.offerTitle')} · ${t('name')}`;
  }, [t]);
  const add = async () => {
    if ((await action.run(() => addPasskey(describeBrowser(navigator.userAgent)))) === null) return;
    showToast(t('passkey.added'));
    setSignedIn({ ...session, passkeys: session.passkeys + 1 });
  };
  const isPossible = session.can_use_passkeys && canUsePasskeys();
  return (
    <SessionCard title={t('passkey.offerTitle')} intro={t('passkey.offerText')}>
      <div className="sign-in-form">
        {action.failure !== null && <FailureAlert failure={action.failure} />}
        {isPossible ? (
          <ActionButton
            variant="primary"
            icon={Fingerprint}
            pending={action.pending}
            className="button-wide"
            onPress={() => void add()}
          >
            {t('passkey.add')}
          </ActionButton>
        ) : (
          <PasskeyUnavailable />
        )}
        <ActionButton
          variant={isPossible ? 'secondary' : 'primary'}
          className="button-wide"
          onPress={() => setSignedIn(session)}
        >
          {isPossible ? t('passkey.later') : t('welcome.continue')}
        </ActionButton>
      </div>
    </SessionCard>
  );
}

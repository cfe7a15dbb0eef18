/** Reminds users to open a mailed link that confirms or changes their email address. */
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Banner } from '../components/Banner.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';

export function EmailConfirmation({ email }: { readonly email: string }) {
  const { t, language } = useMessages();
  const action = useAction();
  const isUnconfirmed = useApp((app) => app.isEmailUnconfirmed);
  if (!isUnconfirmed) return null;
  const send = async () => {
    const sent = await action.run(() => bridge.sendEmailConfirmation({ language }));
    if (sent !== null) showToast(t('security.sentAgain', { email }));
  };
  return (
    <>
      <Banner
        tone="attention"
        title={t('security.unconfirmed')}
        actions={
          <ActionButton pending={action.pending} onPress={() => void send()}>
            {t('security.sendAgain')}
          </ActionButton>
        }
      >
        {t('security.unconfirmedText', { email })}
      </Banner>
      {action.failure !== null && <FailureAlert failure={action.failure} />}
    </>
  );
}

/** Shown until the link sent to the new address is opened. */
export function PendingEmail({ current }: { readonly current: string }) {
  const { t } = useMessages();
  const email = useApp((app) => app.pendingEmail);
  if (email === null) return null;
  return (
    <Banner tone="attention" title={t('security.pending')}>
      <span className="wrap-anywhere">{t('security.linkSent', { email, current })}</span>
    </Banner>
  );
}

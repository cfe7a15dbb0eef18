/** Reminds users to confirm their email address where the server waits for it, and has the mail sent again. */
import { bridge } from '../bridge.ts';
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

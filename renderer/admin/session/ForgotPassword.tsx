/** The "Forgot password?" link, if the server sends mail. */
import { useState } from 'react';
import { ForgotPasswordDialog } from '../../components/ForgotPasswordDialog.tsx';
import { useAction } from '../../use-action.ts';
import { sendCall } from '../api/admin-calls.ts';
import { useMessages } from '../i18n/messages.ts';
import { useCanResetPassword } from './sign-in-options.ts';

/** `email` is the address typed into the sign-in form. */
export function ForgotPassword({ email: typedEmail }: { readonly email: string }) {
  const { t, language } = useMessages();
  const action = useAction();
  const canReset = useCanResetPassword();
  const [open, setOpen] = useState(false);
  if (!canReset) return null;
  const send = async (email: string) =>
    (await action.run(() => sendCall('forgotStaffPassword', { body: { email, language } }))) !== null;
  const close = () => {
    setOpen(false);
    action.clear();
  };
  return (
    <div className="sign-in-forgot">
      <button type="button" className="link" onClick={() => setOpen(true)}>
        {t('credentials.forgot')}
      </button>
      {open && (
        <ForgotPasswordDialog
          typedEmail={typedEmail}
          pending={action.pending}
          failure={action.failure}
          onSend={send}
          onClose={close}
        />
      )}
    </div>
  );
}

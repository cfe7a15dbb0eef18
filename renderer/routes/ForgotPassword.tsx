/** The "Forgot password?" link: requests a mailed link, or shows a hint if the server sends no mail. */
import { useState } from 'react';
import { bridge } from '../account-bridge.ts';
import { ForgotPasswordDialog } from '../components/ForgotPasswordDialog.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';

type Props = {
  /** The email typed into the sign-in form. */
  readonly email: string;
  /** See `useSignIn`. */
  readonly saveAddress: () => Promise<boolean>;
};

export function ForgotPassword({ email, saveAddress }: Props) {
  const { t } = useMessages();
  const [open, setOpen] = useState(false);
  const missing = useApp((app) => app.server.passwordReset === 'missing');
  const start = async () => {
    if (await saveAddress()) setOpen(true);
  };
  if (missing && !open) return null;
  return (
    <div className="sign-in-forgot">
      <button type="button" className="link" onClick={() => void start()}>
        {t('credentials.forgot')}
      </button>
      {open && <RequestDialog typedEmail={email} onClose={() => setOpen(false)} />}
    </div>
  );
}

type DialogProps = { readonly typedEmail: string; readonly onClose: () => void };

function RequestDialog({ typedEmail, onClose }: DialogProps) {
  const { t, language } = useMessages();
  const action = useAction();
  const missing = useApp((app) => app.server.passwordReset === 'missing');
  return (
    <ForgotPasswordDialog
      typedEmail={typedEmail}
      pending={action.pending}
      failure={action.failure}
      missing={missing && t('signIn.forgotMissing')}
      onSend={async (email) => (await action.run(() => bridge.requestPasswordReset({ email, language }))) !== null}
      onClose={onClose}
    />
  );
}

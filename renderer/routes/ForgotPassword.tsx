/** "Forgot password?": a link by mail, or a hint where the server sends no mail. */
import { type FormEvent, useState } from 'react';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Modal } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Field } from '../components/Field.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';

type Props = {
  /** What was typed into the sign-in form. */
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
        {t('signIn.forgot')}
      </button>
      {open && <ForgotPasswordDialog typedEmail={email} onClose={() => setOpen(false)} />}
    </div>
  );
}

type DialogProps = { readonly typedEmail: string; readonly onClose: () => void };

function ForgotPasswordDialog({ typedEmail, onClose }: DialogProps) {
  const { t, language } = useMessages();
  const [email, setEmail] = useState(typedEmail);
  const [invalid, setInvalid] = useState(false);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const action = useAction();
  const missing = useApp((app) => app.server.passwordReset === 'missing');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // The sign-in form, in which the dialog is rendered, would get it too.
    event.stopPropagation();
    const address = email.trim();
    setInvalid(!/^\S+@\S+$/.test(address));
    if (!/^\S+@\S+$/.test(address)) return;
    if ((await action.run(() => bridge.requestPasswordReset({ email: address, language }))) !== null)
      setSentTo(address);
  };
  const result = missing ? t('signIn.forgotMissing') : sentTo !== null && t('signIn.forgotSent', { email: sentTo });
  return (
    <Modal title={t('signIn.forgotTitle')} focus="first" onClose={onClose}>
      <form className="dialog" onSubmit={(event) => void submit(event)} noValidate>
        <h2>{t('signIn.forgotTitle')}</h2>
        {result !== false ? (
          <p role="status">{result}</p>
        ) : (
          <>
            <p className="dialog-text">{t('signIn.forgotText')}</p>
            {action.failure !== null && <FailureAlert failure={action.failure} />}
            <Field
              label={t('credentials.email')}
              name="email"
              type="email"
              autoComplete="username"
              value={email}
              onChange={(next) => {
                setEmail(next);
                setInvalid(false);
              }}
              error={invalid ? t('credentials.emailShape') : null}
            />
          </>
        )}
        <div className="dialog-actions">
          <ActionButton onPress={onClose}>{result !== false ? t('common.close') : t('common.cancel')}</ActionButton>
          {result === false && (
            <ActionButton variant="primary" type="submit" pending={action.pending}>
              {t('signIn.forgotSend')}
            </ActionButton>
          )}
        </div>
      </form>
    </Modal>
  );
}

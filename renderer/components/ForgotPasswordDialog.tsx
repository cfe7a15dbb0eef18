/** A dialog that requests a mailed link to reset a forgotten password. */
import { type FormEvent, useState } from 'react';
import type { Failure } from '../../shared/ipc/result.ts';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { ActionButton } from './ActionButton.tsx';
import { type CredentialError, findEmailError } from './credentials.ts';
import { Modal } from './Dialogs.tsx';
import { FailureAlert } from './FailureAlert.tsx';
import { Field } from './Field.tsx';
import { focusField } from './focus-field.ts';

type ForgotPasswordDialogProps = {
  /** The email typed into the sign-in form. */
  readonly typedEmail: string;
  readonly pending: boolean;
  readonly failure: Failure | null;
  /** Shown instead of the form if the server turns out to send no mail. */
  readonly missing?: string | false;
  /** Requests the link; resolves to whether that succeeded. */
  readonly onSend: (email: string) => Promise<boolean>;
  readonly onClose: () => void;
};

export function ForgotPasswordDialog({ typedEmail, missing = false, ...props }: ForgotPasswordDialogProps) {
  const { t } = useSharedMessages();
  const [email, setEmail] = useState(typedEmail);
  const [error, setError] = useState<CredentialError | null>(null);
  const [sentTo, setSentTo] = useState<string | null>(null);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // Otherwise the sign-in form, in which the dialog is rendered, would receive the event too.
    event.stopPropagation();
    const address = email.trim();
    const found = findEmailError(address);
    setError(found);
    if (found !== null) focusField(event, 'email');
    else if (await props.onSend(address)) setSentTo(address);
  };
  const result = missing || (sentTo !== null && t('credentials.forgotSent', { email: sentTo }));
  return (
    <Modal title={t('credentials.forgotTitle')} focus="first" onClose={props.onClose}>
      <form className="dialog" onSubmit={(event) => void submit(event)} noValidate>
        <h2>{t('credentials.forgotTitle')}</h2>
        {result !== false ? (
          <p role="status">{result}</p>
        ) : (
          <>
            <p className="dialog-text">{t('credentials.forgotText')}</p>
            {props.failure !== null && <FailureAlert failure={props.failure} />}
            <Field
              label={t('credentials.email')}
              name="email"
              type="email"
              autoComplete="username"
              value={email}
              onChange={(next) => {
                setEmail(next);
                setError(null);
              }}
              error={error === null ? null : t(`credentials.${error}`)}
            />
          </>
        )}
        <div className="dialog-actions">
          <ActionButton onPress={props.onClose}>
            {result !== false ? t('common.close') : t('common.cancel')}
          </ActionButton>
          {result === false && (
            <ActionButton variant="primary" type="submit" pending={props.pending}>
              {t('credentials.forgotSend')}
            </ActionButton>
          )}
        </div>
      </form>
    </Modal>
  );
}

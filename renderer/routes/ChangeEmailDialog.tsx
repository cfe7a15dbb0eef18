/** A dialog that requests a mailed link to change the account's email address. */
import { type FormEvent, useState } from 'react';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { useCredentialRefusal } from '../components/credential-refusal.ts';
import { findEmailError } from '../components/credentials.ts';
import { Modal } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Field } from '../components/Field.tsx';
import { focusField } from '../components/focus-field.ts';
import { PasswordField } from '../components/PasswordField.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useAction } from '../use-action.ts';

type Props = { readonly current: string; readonly onClose: () => void };

export function ChangeEmailDialog({ current, onClose }: Props) {
  const { t } = useMessages();
  const [sentTo, setSentTo] = useState<string | null>(null);
  return (
    <Modal title={t('security.changeEmail')} focus="first" dismissable={sentTo !== null} onClose={onClose}>
      {sentTo === null ? (
        <ChangeEmailForm current={current} onSent={setSentTo} onClose={onClose} />
      ) : (
        <div className="dialog">
          <h2>{t('security.changeEmail')}</h2>
          <p role="status" className="wrap-anywhere">
            {t('security.linkSent', { email: sentTo, current })}
          </p>
          <div className="dialog-actions">
            <ActionButton variant="primary" onPress={onClose}>
              {t('common.close')}
            </ActionButton>
          </div>
        </div>
      )}
    </Modal>
  );
}

function ChangeEmailForm({ current, onSent, onClose }: Props & { readonly onSent: (email: string) => void }) {
  const { t, language } = useMessages();
  const action = useAction();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [submitted, setSubmitted] = useState(false);
  const address = email.trim();
  const emailError = findEmailError(address);
  const isSame = address.toLowerCase() === current.toLowerCase();
  const code = action.failure?.code;
  const refused = useCredentialRefusal(action.failure, { email });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (emailError !== null || isSame) return focusField(event, 'email');
    if (password === '') return focusField(event, 'currentPassword');
    if ((await action.run(() => bridge.changeEmail({ email: address, password, language }))) !== null) onSent(address);
  };
  const edit = (set: (text: string) => void) => (text: string) => {
    set(text);
    setSubmitted(false);
    action.clear();
  };
  const findEmailMessage = () => {
    if (!submitted) return null;
    if (emailError !== null) return t(`credentials.${emailError}`);
    return isSame ? t('security.emailSame') : null;
  };
  const isShownAtField = refused.isOfField || code === 'EMAIL_EXISTS' || code === 'INVALID_CREDENTIALS';
  return (
    <form className="dialog" onSubmit={(event) => void submit(event)} noValidate>
      <h2>{t('security.changeEmail')}</h2>
      <p className="dialog-text">{t('security.changeEmailText')}</p>
      {action.failure !== null && !isShownAtField && <FailureAlert failure={action.failure} />}
      <Field
        label={t('security.newEmail')}
        name="email"
        type="email"
        autoComplete="email"
        value={email}
        onChange={edit(setEmail)}
        error={findEmailMessage()}
        refusal={code === 'EMAIL_EXISTS' ? t('security.emailTaken') : refused.email}
      />
      <PasswordField
        label={t('security.currentPassword')}
        name="currentPassword"
        value={password}
        onChange={edit(setPassword)}
        isNew={false}
        error={submitted && password === '' ? t('credentials.passwordMissing') : null}
        refusal={code === 'INVALID_CREDENTIALS' ? t('security.currentWrong') : null}
      />
      <div className="dialog-actions">
        <ActionButton onPress={onClose}>{t('common.cancel')}</ActionButton>
        <ActionButton variant="primary" type="submit" pending={action.pending}>
          {t('security.sendLink')}
        </ActionButton>
      </div>
    </form>
  );
}

/** A dialog that changes the password. */
import { type FormEvent, useState } from 'react';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { useCredentialRefusal } from '../components/credential-refusal.ts';
import { Modal } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { focusField } from '../components/focus-field.ts';
import { PasswordField } from '../components/PasswordField.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { useAction } from '../use-action.ts';
import { useMinPasswordLength } from '../use-min-password-length.ts';

type FieldErrors = { readonly current?: boolean; readonly next?: boolean };

type Props = {
  /** Email address of the account. */
  readonly email: string;
  readonly onClose: () => void;
};

export function ChangePasswordDialog({ email, onClose }: Props) {
  const { t, language } = useMessages();
  const action = useAction();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [missing, setMissing] = useState<FieldErrors>({});
  const minLength = useMinPasswordLength();
  const isWrong = action.failure?.code === 'INVALID_CREDENTIALS';
  const refused = useCredentialRefusal(action.failure, {
    password: next,
    accountEmail: email,
    minLength,
  });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setMissing({ current: current === '', next: next === '' });
    if (current === '') return focusField(event, 'currentPassword');
    if (next === '') return focusField(event, 'newPassword');
    const input = { currentPassword: current, newPassword: next, language };
    if ((await action.run(() => bridge.changePassword(input))) === null) return;
    showToast(t('security.changed'));
    onClose();
  };
  return (
    <Modal title={t('security.changePassword')} focus="first" dismissable={false} onClose={onClose}>
      <form className="dialog" onSubmit={(event) => void submit(event)} noValidate>
        <h2>{t('security.changePassword')}</h2>
        <p className="dialog-text">{t('security.changeText')}</p>
        {action.failure !== null && !isWrong && !refused.isOfField && <FailureAlert failure={action.failure} />}
        <PasswordField
          label={t('security.currentPassword')}
          name="currentPassword"
          value={current}
          onChange={(text) => {
            setCurrent(text);
            setMissing({});
            action.clear();
          }}
          isNew={false}
          error={missing.current ? t('credentials.passwordMissing') : null}
          refusal={isWrong ? t('security.currentWrong') : null}
        />
        <PasswordField
          label={t('security.newPassword')}
          name="newPassword"
          value={next}
          onChange={(text) => {
            setNext(text);
            setMissing({});
            action.clear();
          }}
          isNew
          minLength={minLength}
          error={missing.next ? t('credentials.passwordMissing') : null}
          refusal={refused.password}
        />
        <div className="dialog-actions">
          <ActionButton onPress={onClose}>{t('common.cancel')}</ActionButton>
          <ActionButton variant="primary" type="submit" pending={action.pending}>
            {t('security.change')}
          </ActionButton>
        </div>
      </form>
    </Modal>
  );
}

/** A dialog that states the consequences of an act, and asks for the password. */
import { type FormEvent, useState } from 'react';
import type { Result } from '../../shared/ipc/result.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Modal } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { focusField } from '../components/focus-field.ts';
import { PasswordField } from '../components/PasswordField.tsx';
import { useMessages } from '../i18n/messages.ts';
import { useAction } from '../use-action.ts';

type ConfirmWithPasswordDialogProps<T> = {
  readonly title: string;
  readonly text: string;
  readonly confirmLabel: string;
  /** True if the dialog must stay open until the act has ended, such as to show what it returns. */
  readonly staysWhilePending?: boolean;
  readonly act: (password: string) => Promise<Result<T>>;
  /** Called with the result once the act has succeeded. */
  readonly onDone: (value: T) => void;
  readonly onClose: () => void;
};

export function ConfirmWithPasswordDialog<T>(props: ConfirmWithPasswordDialogProps<T>) {
  const { t } = useMessages();
  const action = useAction();
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState(false);
  const isWrong = action.failure?.code === 'INVALID_CREDENTIALS';
  const isHeld = action.pending && props.staysWhilePending === true;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setMissing(password === '');
    if (password === '') return focusField(event, 'currentPassword');
    const done = await action.run(() => props.act(password));
    if (done !== null) props.onDone(done.value);
  };
  return (
    <Modal
      title={props.title}
      role="alertdialog"
      focus="first"
      dismissable={isHeld ? 'never' : false}
      onClose={props.onClose}
    >
      <form className="dialog" onSubmit={(event) => void submit(event)} noValidate>
        <h2>{props.title}</h2>
        <p className="dialog-text">{props.text}</p>
        {action.failure !== null && !isWrong && <FailureAlert failure={action.failure} />}
        <PasswordField
          label={t('security.currentPassword')}
          name="currentPassword"
          value={password}
          onChange={(text) => {
            setPassword(text);
            setMissing(false);
            action.clear();
          }}
          error={missing ? t('credentials.passwordMissing') : null}
          refusal={isWrong ? t('security.currentWrong') : null}
        />
        <div className="dialog-actions">
          <ActionButton disabled={isHeld} onPress={props.onClose}>
            {t('common.cancel')}
          </ActionButton>
          <ActionButton variant="danger" type="submit" pending={action.pending}>
            {props.confirmLabel}
          </ActionButton>
        </div>
      </form>
    </Modal>
  );
}

/** The own password, and the dialog that changes it. */
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { type CredentialError, findPasswordError } from '../../../components/credentials.ts';
import { Panel } from '../../../components/Page.tsx';
import { PasswordField } from '../../../components/PasswordField.tsx';
import { failureMessage } from '../../../i18n/failure-message.ts';
import { useChange } from '../../api/use-change.ts';
import { FormDialog } from '../../forms/FormDialog.tsx';
import { useMessages } from '../../i18n/messages.ts';
import { setSignedIn, useStaffSession } from '../../session/session-store.ts';

export function OwnPassword() {
  const { t } = useMessages();
  const [changing, setChanging] = useState(false);
  const button = (
    <ActionButton icon={KeyRound} onPress={() => setChanging(true)}>
      {t('ownPassword.change')}
    </ActionButton>
  );
  return (
    <Panel title={t('ownPassword.title')} aside={button}>
      <p className="panel-intro">{t('ownPassword.intro')}</p>
      {changing && <ChangePasswordDialog onClose={() => setChanging(false)} />}
    </Panel>
  );
}

type FieldErrors = { readonly current: CredentialError | null; readonly next: CredentialError | null };

const noErrors: FieldErrors = { current: null, next: null };

function ChangePasswordDialog({ onClose }: { readonly onClose: () => void }) {
  const { t, language } = useMessages();
  const { email } = useStaffSession().staff;
  const change = useChange();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [errors, setErrors] = useState(noErrors);
  const refused = useRefusal(change.failure);
  const describe = (error: CredentialError | null) => (error === null ? null : t(`credentials.${error}`));
  const forget = () => {
    setErrors(noErrors);
    change.clear();
  };
  const submit = async () => {
    const found = {
      current: findPasswordError(current, { isNew: false }),
      next: findPasswordError(next, { isNew: true }),
    };
    setErrors(found);
    if (found.current !== null || found.next !== null) return;
    const body = { current_password: current, new_password: next, language };
    const result = await change.run('changeStaffPassword', { body }, t('ownPassword.changed'));
    if (result === null) return;
    setSignedIn(result.value);
    onClose();
  };
  return (
    <FormDialog
      title={t('ownPassword.change')}
      text={t('ownPassword.changeText')}
      submitLabel={t('ownPassword.change')}
      pending={change.pending}
      failure={refused.isOfField ? null : change.failure}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {/* For the browser's password manager. */}
      <input
        className="visually-hidden"
        type="email"
        autoComplete="username"
        value={email}
        readOnly
        tabIndex={-1}
        aria-hidden
      />
      <PasswordField
        label={t('ownPassword.current')}
        name="currentPassword"
        autoFocus
        value={current}
        onChange={(text) => {
          setCurrent(text);
          forget();
        }}
        error={describe(errors.current) ?? refused.current}
      />
      <PasswordField
        label={t('ownPassword.new')}
        name="newPassword"
        isNew
        value={next}
        onChange={(text) => {
          setNext(text);
          forget();
        }}
        error={describe(errors.next) ?? refused.next}
      />
    </FormDialog>
  );
}

/** What the server says of a field: only it knows all rules for a new password. */
function useRefusal(failure: Parameters<typeof failureMessage>[0] | null) {
  const { t } = useMessages();
  const current = failure?.code === 'INVALID_CREDENTIALS' ? t('ownPassword.currentWrong') : null;
  const next = failure?.code === 'VALIDATION_ERROR' ? failureMessage(failure, t).what : null;
  return { current, next, isOfField: current !== null || next !== null };
}

/** Dialogs shown when a call needs a sign-in or a confirmation. */
import { useQueryClient } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { StaffSession } from '../../../shared/api/admin/session.ts';
import type { Result } from '../../../shared/ipc/result.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { FailureAlert } from '../../components/FailureAlert.tsx';
import { PasswordField } from '../../components/PasswordField.tsx';
import { useAction } from '../../use-action.ts';
import { sendCall } from '../api/admin-calls.ts';
import { useMessages } from '../i18n/messages.ts';
import { canUsePasskeys, confirmWithPasskey } from './passkeys.ts';
import { answerPrompt, usePrompts } from './prompts.ts';
import { SignInForm } from './SignInForm.tsx';
import { SingleSignOnWindowButton } from './SingleSignOnButton.tsx';
import { setSignedIn, setSignedOut, useStaffSession } from './session-store.ts';

/** Renders the current prompt above everything else, which stays open. */
export function Prompts() {
  const prompt = usePrompts((state) => state.prompt);
  if (prompt === null) return null;
  return prompt === 'sign-in' ? <SignInAgainDialog /> : <ConfirmAgainDialog />;
}

/** Shown when the session has ended in the middle of an action. */
function SignInAgainDialog() {
  const { t } = useMessages();
  const queries = useQueryClient();
  const { staff } = useStaffSession();
  const leave = () => {
    queries.clear();
    setSignedOut();
  };
  const enter = (session: StaffSession) => {
    const isSame = session.staff.id === staff.id;
    // Another staff member must not see the first one's data, nor complete their actions.
    if (!isSame) queries.clear();
    setSignedIn(session);
    answerPrompt(isSame);
  };
  return (
    <Modal title={t('session.endedTitle')} focus="first" dismissable={false} onClose={leave}>
      <div className="dialog">
        <h2>{t('session.endedTitle')}</h2>
        <p className="dialog-text">{t('session.endedText')}</p>
        <SignInForm email={staff.email} isInDialog onSignedIn={enter} />
        <div className="dialog-actions">
          <ActionButton variant="quiet" onPress={leave}>
            {t('session.leave')}
          </ActionButton>
        </div>
      </div>
    </Modal>
  );
}

/** Asks the signed-in member to confirm an action that cannot be undone or grants someone access. */
function ConfirmAgainDialog() {
  const { t } = useMessages();
  const session = useStaffSession();
  const action = useAction();
  const [password, setPassword] = useState('');
  const finish = (confirmed: StaffSession) => {
    setSignedIn(confirmed);
    answerPrompt(true);
  };
  const confirm = async (send: () => Promise<Result<StaffSession>>) => {
    const result = await action.run(send);
    if (result !== null) finish(result.value);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (password !== '') void confirm(() => sendCall('staffConfirm', { body: { password } }));
  };
  const withPasskey = session.passkeys > 0 && session.can_use_passkeys && canUsePasskeys();
  return (
    <Modal title={t('session.confirmTitle')} focus="first" dismissable={false} onClose={() => answerPrompt(false)}>
      <form className="dialog" onSubmit={submit} noValidate>
        <h2>{t('session.confirmTitle')}</h2>
        <p className="dialog-text">{t('session.confirmText', { email: session.staff.email })}</p>
        {session.has_password && <PasswordField value={password} onChange={setPassword} />}
        {action.failure !== null && <FailureAlert failure={action.failure} />}
        <div className="dialog-actions">
          <ActionButton onPress={() => answerPrompt(false)}>{t('common.cancel')}</ActionButton>
          {withPasskey && (
            <ActionButton icon={Fingerprint} pending={action.pending} onPress={() => void confirm(confirmWithPasskey)}>
              {t('session.confirmPasskey')}
            </ActionButton>
          )}
          <SingleSignOnWindowButton action={action} purpose="confirm" onSession={finish} />
          {session.has_password && (
            <ActionButton variant="primary" type="submit" pending={action.pending} disabled={password === ''}>
              {t('session.confirm')}
            </ActionButton>
          )}
        </div>
      </form>
    </Modal>
  );
}

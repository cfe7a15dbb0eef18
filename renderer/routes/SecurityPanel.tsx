/** Sign-in and security, in the settings: email address and password, and where the account is signed in. */
import { FileDown, KeyRound, Laptop, Mail } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import type { AccountSession } from '../../shared/ipc/app-state.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Panel } from '../components/Page.tsx';
import { TimedText } from '../components/Times.tsx';
import { showToast } from '../components/toast-store.ts';
import { clientName, shortDay } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';
import { ChangeEmailDialog } from './ChangeEmailDialog.tsx';
import { ChangePasswordDialog } from './ChangePasswordDialog.tsx';
import { DeleteAccountDialog } from './DeleteAccountDialog.tsx';
import { EmailConfirmation, PendingEmail } from './EmailConfirmation.tsx';

/** Nothing until the server is known to offer it. */
export function SecurityPanel() {
  const { t } = useMessages();
  const [open, setOpen] = useState<'email' | 'password' | 'delete' | null>(null);
  const exporting = useAction();
  const email = useApp((app) => (app.session.kind === 'signed-in' ? app.session.user.email : null));
  const isSignedIn = email !== null;
  const capability = useApp((app) => app.server.accountManagement);
  const canChangeEmail = useApp((app) => app.server.emailChange === 'available');
  useEffect(() => {
    if (!isSignedIn) return;
    void runCommand(() => bridge.listSessions());
    const loadEmail = () => void runCommand(() => bridge.loadEmail());
    loadEmail();
    // The user may come back from the browser, where a mailed link was opened.
    window.addEventListener('focus', loadEmail);
    return () => window.removeEventListener('focus', loadEmail);
  }, [isSignedIn]);
  if (!isSignedIn || capability !== 'available') return null;
  const exportData = async () => {
    const saved = await exporting.run(() => bridge.exportAccount());
    if (saved !== null) showToast(t('security.exported', { path: saved.value.path }));
  };
  return (
    <Panel title={t('security.title')}>
      {canChangeEmail && <EmailConfirmation email={email} />}
      {canChangeEmail && <PendingEmail current={email} />}
      <Sessions />
      {exporting.failure !== null && <FailureAlert failure={exporting.failure} />}
      <div className="panel-actions">
        {canChangeEmail && (
          <ActionButton icon={Mail} onPress={() => setOpen('email')}>
            {t('security.changeEmail')}
          </ActionButton>
        )}
        <ActionButton icon={KeyRound} onPress={() => setOpen('password')}>
          {t('security.changePassword')}
        </ActionButton>
        <ActionButton icon={FileDown} pending={exporting.pending} onPress={() => void exportData()}>
          {t('security.exportData')}
        </ActionButton>
        <ActionButton variant="quiet" onPress={() => setOpen('delete')}>
          {t('security.delete')}
        </ActionButton>
      </div>
      {open === 'email' && <ChangeEmailDialog current={email} onClose={() => setOpen(null)} />}
      {open === 'password' && <ChangePasswordDialog email={email} onClose={() => setOpen(null)} />}
      {open === 'delete' && <DeleteAccountDialog email={email} onClose={() => setOpen(null)} />}
    </Panel>
  );
}

function Sessions() {
  const { t } = useMessages();
  const { value, failure } = useApp((app) => app.sessions);
  const titleId = useId();
  return (
    <>
      <h3 id={titleId}>{t('security.sessions')}</h3>
      <p className="hint">{t('security.sessionsHint')}</p>
      {failure !== null && <FailureAlert failure={failure} />}
      <ul className="devices sessions" aria-labelledby={titleId} aria-busy={value === null && failure === null}>
        {value?.map((session) => (
          <SessionRow key={session.sessionId} session={session} />
        ))}
      </ul>
    </>
  );
}

/** The own session has no button: to end it, users sign out. */
function SessionRow({ session }: { readonly session: AccountSession }) {
  const { t, locale } = useMessages();
  const action = useAction();
  const nameId = useId();
  const end = async () => {
    const ended = await action.run(() => bridge.endSession({ sessionId: session.sessionId }));
    if (ended !== null) showToast(t('security.ended'));
  };
  return (
    <li className="device" aria-labelledby={nameId}>
      <Laptop className="icon device-icon" aria-hidden />
      <div>
        <p className="device-name">
          <span id={nameId} className="wrap-anywhere">
            {clientName(session.client) || t('security.unknownClient')}
          </span>{' '}
          {session.isThisSession && <span className="badge badge-accent">{t('security.thisSession')}</span>}
        </p>{' '}
        <p className="hint">{t('security.since', { when: shortDay(session.createdAt, Date.now(), locale) })}</p>
        {action.failure !== null && <FailureAlert failure={action.failure} />}
      </div>{' '}
      <div className="device-seen">
        <span className="hint">
          <TimedText text={t('security.lastUsed')} at={session.lastUsedAt} />
        </span>
      </div>{' '}
      {!session.isThisSession && (
        <ActionButton pending={action.pending} describedBy={nameId} onPress={() => void end()}>
          {t('security.end')}
        </ActionButton>
      )}
    </li>
  );
}

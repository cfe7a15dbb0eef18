/** Account management: one panel each for sessions, email address, password and data. */
import { FileDown, KeyRound, Mail } from 'lucide-react';
import { useEffect, useState } from 'react';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Panel } from '../components/Page.tsx';
import { showToast } from '../components/toast-store.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { useApp } from '../store.ts';
import { useAction } from '../use-action.ts';
import { useCurrentEmail } from '../use-current-email.ts';
import { ChangeEmailDialog } from './ChangeEmailDialog.tsx';
import { ChangePasswordDialog } from './ChangePasswordDialog.tsx';
import { DeleteAccountDialog } from './DeleteAccountDialog.tsx';
import { EmailConfirmation, PendingEmail } from './EmailConfirmation.tsx';
import { SessionsPanel } from './SessionsPanel.tsx';

/** Renders nothing until the server is known to support account management. */
export function SecurityPanels() {
  const email = useApp((app) => (app.session.kind === 'signed-in' ? app.session.user.email : null));
  const isSignedIn = email !== null;
  const capability = useApp((app) => app.server.accountManagement);
  const canChangeEmail = useApp((app) => app.server.emailChange === 'available');
  useEffect(() => {
    if (isSignedIn) void runCommand(() => bridge.listSessions());
  }, [isSignedIn]);
  useCurrentEmail(isSignedIn);
  if (!isSignedIn || capability !== 'available') return null;
  return (
    <>
      <SessionsPanel />
      {canChangeEmail && <EmailPanel email={email} />}
      <PasswordPanel email={email} />
      <DataPanel email={email} />
    </>
  );
}

type PanelProps = {
  /** Email address of the account. */
  readonly email: string;
};

function EmailPanel({ email }: PanelProps) {
  const { t } = useMessages();
  const [open, setOpen] = useState(false);
  return (
    <Panel title={t('security.email')}>
      <EmailConfirmation email={email} />
      <PendingEmail current={email} />
      <p className="wrap-anywhere">{email}</p>
      <p className="hint">{t('security.emailHint')}</p>
      <div className="panel-actions">
        <ActionButton icon={Mail} onPress={() => setOpen(true)}>
          {t('security.changeEmail')}
        </ActionButton>
      </div>
      {open && <ChangeEmailDialog current={email} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function PasswordPanel({ email }: PanelProps) {
  const { t } = useMessages();
  const [open, setOpen] = useState(false);
  return (
    <Panel title={t('security.password')}>
      <p className="hint">{t('security.passwordHint')}</p>
      <div className="panel-actions">
        <ActionButton icon={KeyRound} onPress={() => setOpen(true)}>
          {t('security.changePassword')}
        </ActionButton>
      </div>
      {open && <ChangePasswordDialog email={email} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

function DataPanel({ email }: PanelProps) {
  const { t } = useMessages();
  const [open, setOpen] = useState(false);
  const exporting = useAction();
  const exportData = async () => {
    const saved = await exporting.run(() => bridge.exportAccount());
    if (saved !== null) showToast(t('security.exported', { path: saved.value.path }));
  };
  return (
    <Panel title={t('security.data')}>
      <p className="hint">{t('security.dataHint')}</p>
      {exporting.failure !== null && <FailureAlert failure={exporting.failure} />}
      <div className="panel-actions">
        <ActionButton icon={FileDown} pending={exporting.pending} onPress={() => void exportData()}>
          {t('security.exportData')}
        </ActionButton>
        <ActionButton variant="quiet" onPress={() => setOpen(true)}>
          {t('security.delete')}
        </ActionButton>
      </div>
      {open && <DeleteAccountDialog email={email} onClose={() => setOpen(false)} />}
    </Panel>
  );
}

/** The account's license: its key preview, and replacing the key if the server supports it. */
import { type FormEvent, useState } from 'react';
import type { LicenseSummary } from '../../shared/ipc/app-state.ts';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Modal } from '../components/Dialogs.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { NewSecretDialog } from '../components/NewSecretDialog.tsx';
import { Panel } from '../components/Page.tsx';
import { PasswordField } from '../components/PasswordField.tsx';
import { licenseStatus } from '../i18n/account-messages.ts';
import { planName } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { accountOf, isAccountPage, useApp } from '../store.ts';
import { useAction } from '../use-action.ts';

type OpenDialog = { readonly kind: 'replace' } | { readonly kind: 'new-key'; readonly licenseKey: string } | null;

export function LicenseKeyPanel() {
  const { t } = useMessages();
  const [open, setOpen] = useState<OpenDialog>(null);
  const account = useApp(accountOf);
  const isOffered = useApp((app) => app.server.accountManagement === 'available');
  if (account === null || !isOffered) return null;
  const { license } = account;
  const isRevoked = license?.status === 'revoked';
  return (
    <Panel
      title={t('licenseKey.title')}
      headingId="setting-license"
      aside={
        license !== null &&
        !isRevoked && (
          <ActionButton onPress={() => setOpen({ kind: 'replace' })}>{t('licenseKey.replace')}</ActionButton>
        )
      }
    >
      {license === null ? <p className="hint">{t('licenseKey.none')}</p> : <KeyFacts license={license} />}
      {license !== null && (
        <p className="hint panel-more">{isRevoked ? t('licenseKey.revoked') : t('licenseKey.hint')}</p>
      )}
      {open?.kind === 'replace' && license !== null && (
        <ReplaceDialog
          keyPreview={license.keyPreview}
          onReplaced={(licenseKey) => setOpen({ kind: 'new-key', licenseKey })}
          onClose={() => setOpen(null)}
        />
      )}
      {open?.kind === 'new-key' && <NewKeyDialog licenseKey={open.licenseKey} onSaved={() => setOpen(null)} />}
    </Panel>
  );
}

function KeyFacts({ license }: { readonly license: LicenseSummary }) {
  const { t } = useMessages();
  return (
    <Facts>
      <Fact name={t('licenseKey.key')} more={licenseStatus(license.status, t)}>
        <span className="mono">{license.keyPreview}</span>
      </Fact>
      <Fact name={t('overview.plan')}>{planName(license.plan, t)}</Fact>
    </Facts>
  );
}

type ReplaceDialogProps = {
  readonly keyPreview: string;
  readonly onReplaced: (licenseKey: string) => void;
  readonly onClose: () => void;
};

/** States the consequences, and asks for the password. */
function ReplaceDialog({ keyPreview, onReplaced, onClose }: ReplaceDialogProps) {
  const { t, language } = useMessages();
  const action = useAction();
  const [password, setPassword] = useState('');
  const [missing, setMissing] = useState(false);
  const isWrong = action.failure?.code === 'INVALID_CREDENTIALS';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setMissing(password === '');
    if (password === '') return;
    const replaced = await action.run(() => bridge.replaceLicenseKey({ password, language }));
    if (replaced !== null) onReplaced(replaced.value.licenseKey);
  };
  return (
    <Modal
      title={t('licenseKey.replaceTitle')}
      role="alertdialog"
      focus="first"
      // Cannot be closed while pending, because a new key must be shown.
      dismissable={action.pending ? 'never' : false}
      onClose={onClose}
    >
      <form className="dialog" onSubmit={(event) => void submit(event)} noValidate>
        <h2>{t('licenseKey.replaceTitle')}</h2>
        <p className="dialog-text">{t('licenseKey.replaceText', { key: keyPreview })}</p>
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
          error={isWrong ? t('security.currentWrong') : missing ? t('credentials.passwordMissing') : null}
        />
        <div className="dialog-actions">
          <ActionButton disabled={action.pending} onPress={onClose}>
            {t('common.cancel')}
          </ActionButton>
          <ActionButton variant="danger" type="submit" pending={action.pending}>
            {t('licenseKey.replaceConfirm')}
          </ActionButton>
        </div>
      </form>
    </Modal>
  );
}

function NewKeyDialog({ licenseKey, onSaved }: { readonly licenseKey: string; readonly onSaved: () => void }) {
  const { t } = useMessages();
  const onPage = useApp(isAccountPage);
  return (
    <NewSecretDialog
      title={t('licenseKey.newTitle')}
      text={t('licenseKey.newText')}
      label={t('licenseKey.newTitle')}
      secret={licenseKey}
      once={t('licenseKey.once')}
      onCopy={async (secret) => (await runCommand(() => bridge.copySecret({ secret }))).ok}
      copiedText={onPage ? undefined : t('secret.clipboardCleared')}
      onSaved={onSaved}
    />
  );
}

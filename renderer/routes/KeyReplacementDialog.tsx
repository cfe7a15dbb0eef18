/** The dialogs that replace the license key and show the new one, on top of whatever screen is open by then. */
import { type FormEvent, useState } from 'react';
import { bridge } from '../account-bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { Modal } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { NewSecretDialog } from '../components/NewSecretDialog.tsx';
import { PasswordField } from '../components/PasswordField.tsx';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { accountOf, isAccountPage, showKeyReplacement, showNewLicenseKey, useApp, useStore } from '../store.ts';
import { useAction } from '../use-action.ts';

/**
 * Not part of the settings: a shortcut or a link that opens another screen would close their dialogs, and the new key
 * would be lost.
 */
export function KeyReplacementDialog() {
  const replacement = useStore((store) => store.keyReplacement);
  const keyPreview = useApp((app) => accountOf(app)?.license?.keyPreview);
  const close = () => showKeyReplacement(null);
  if (replacement === null) return null;
  if (replacement.licenseKey !== null) return <NewKeyDialog licenseKey={replacement.licenseKey} onSaved={close} />;
  if (keyPreview === undefined) return null;
  const show = (licenseKey: string) => showNewLicenseKey(replacement, licenseKey);
  return <ReplaceDialog keyPreview={keyPreview} onReplaced={show} onClose={close} />;
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

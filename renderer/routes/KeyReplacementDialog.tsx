/** The dialogs that replace the license key and show the new one, on top of whatever screen is open by then. */
import { bridge } from '../account-bridge.ts';
import { NewSecretDialog } from '../components/NewSecretDialog.tsx';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { accountOf, isAccountPage, showKeyReplacement, showNewLicenseKey, useApp, useStore } from '../store.ts';
import { ConfirmWithPasswordDialog } from './ConfirmWithPasswordDialog.tsx';

/**
 * Not part of the settings: a shortcut or a link that opens another screen would close their dialogs, and the new key
 * would be lost.
 */
export function KeyReplacementDialog() {
  const { t, language } = useMessages();
  const replacement = useStore((store) => store.keyReplacement);
  const keyPreview = useApp((app) => accountOf(app)?.license?.keyPreview);
  const close = () => showKeyReplacement(null);
  if (replacement === null) return null;
  if (replacement.licenseKey !== null) return <NewKeyDialog licenseKey={replacement.licenseKey} onSaved={close} />;
  if (keyPreview === undefined) return null;
  return (
    <ConfirmWithPasswordDialog
      title={t('licenseKey.replaceTitle')}
      text={t('licenseKey.replaceText', { key: keyPreview })}
      confirmLabel={t('licenseKey.replaceConfirm')}
      // The new key must be shown.
      staysWhilePending
      act={(password) => bridge.replaceLicenseKey({ password, language })}
      onDone={({ licenseKey }) => showNewLicenseKey(replacement, licenseKey)}
      onClose={close}
    />
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

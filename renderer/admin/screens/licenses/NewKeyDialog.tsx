/** Shows a license key that was just issued. It is gone once this closes, so it asks whether the key was saved. */
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import type { AdminResponseOf } from '../../../../shared/api/admin-endpoints.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { copyText } from '../../../components/CopyButton.tsx';
import { Modal } from '../../../components/Dialogs.tsx';
import { planName } from '../../../i18n/format.ts';
import { useMessages } from '../../i18n/messages.ts';

type NewKeyDialogProps = { readonly issued: AdminResponseOf<'issueLicense'>; readonly onSaved: () => void };

/** Escape does not close it. */
export function NewKeyDialog({ issued: { license_key: key, license }, onSaved }: NewKeyDialogProps) {
  const { t } = useMessages();
  const [copied, setCopied] = useState<boolean | null>(null);
  const owner = license.email === null ? t('licenses.forAnyone') : t('licenses.forOwner', { email: license.email });
  return (
    <Modal title={t('licenses.issued')} dismissable="never" onClose={onSaved}>
      <div className="dialog">
        <h2>{t('licenses.issued')}</h2>
        <p className="dialog-text">
          {planName(license.plan, t)} · {t('licenses.limitOf', { count: license.max_activations })} · {owner}
        </p>
        <div className="secret">
          <output className="secret-value mono" aria-label={t('licenses.key')}>
            {key}
          </output>
          <ActionButton icon={copied ? Check : Copy} onPress={() => void copyText(key).then(setCopied)}>
            {t('licenses.copy')}
          </ActionButton>
        </div>
        <p className="hint hint-good secret-copied" aria-live="polite">
          {copied === true && t('common.copied')}
          {copied === false && t('licenses.copyFailed')}
        </p>
        <p>{t('licenses.once')}</p>
        <div className="dialog-actions">
          <ActionButton variant="primary" onPress={onSaved}>
            {t('licenses.saved')}
          </ActionButton>
        </div>
      </div>
    </Modal>
  );
}

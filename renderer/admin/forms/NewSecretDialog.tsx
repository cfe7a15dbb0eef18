/** Shows a secret that was just made. It is gone once this closes, so it asks whether the secret was saved. */
import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ActionButton } from '../../components/ActionButton.tsx';
import { copyText } from '../../components/CopyButton.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { useMessages } from '../i18n/messages.ts';

type NewSecretDialogProps = {
  readonly title: string;
  /** What the secret is for. */
  readonly text: ReactNode;
  /** Its name, for screen readers. */
  readonly label: string;
  readonly secret: string;
  /** That it is shown only this once. */
  readonly once: string;
  readonly onSaved: () => void;
  /** What else can be done with the secret while it is shown. */
  readonly children?: ReactNode;
};

/** Escape does not close it. */
export function NewSecretDialog({ title, text, label, secret, once, onSaved, children }: NewSecretDialogProps) {
  const { t } = useMessages();
  const [copied, setCopied] = useState<boolean | null>(null);
  return (
    <Modal title={title} dismissable="never" onClose={onSaved}>
      <div className="dialog">
        <h2>{title}</h2>
        <p className="dialog-text wrap-anywhere">{text}</p>
        <div className="secret">
          <output className="secret-value mono" aria-label={label}>
            {secret}
          </output>
          <ActionButton icon={copied ? Check : Copy} onPress={() => void copyText(secret).then(setCopied)}>
            {t('form.copy')}
          </ActionButton>
        </div>
        <p className="hint hint-good secret-copied" aria-live="polite">
          {copied === true && t('common.copied')}
          {copied === false && t('form.copyFailed')}
        </p>
        {children}
        <p>{once}</p>
        <div className="dialog-actions">
          <ActionButton variant="primary" onPress={onSaved}>
            {t('form.saved')}
          </ActionButton>
        </div>
      </div>
    </Modal>
  );
}

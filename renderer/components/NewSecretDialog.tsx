/** Shows a new secret, which cannot be shown again, so the dialog asks whether it was saved. */
import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { ActionButton } from './ActionButton.tsx';
import { copyText } from './CopyButton.tsx';
import { Modal } from './Dialogs.tsx';

type NewSecretDialogProps = {
  readonly title: string;
  /** Describes the purpose of the secret. */
  readonly text: ReactNode;
  /** Accessible name of the secret. */
  readonly label: string;
  readonly secret: string;
  /** States that the secret is shown only once. */
  readonly once: string;
  readonly onSaved: () => void;
  /** Copies the secret; resolves to whether that succeeded. */
  readonly onCopy?: (secret: string) => Promise<boolean>;
  /** States that the secret was copied, and the consequences. */
  readonly copiedText?: string | undefined;
  /** Further actions while the secret is shown. */
  readonly children?: ReactNode;
};

/** Escape does not close the dialog. */
export function NewSecretDialog({ onCopy = copyText, ...props }: NewSecretDialogProps) {
  const { title, text, label, secret, once, onSaved, copiedText, children } = props;
  const { t } = useSharedMessages();
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
          <ActionButton icon={copied ? Check : Copy} onPress={() => void onCopy(secret).then(setCopied)}>
            {t('secret.copy')}
          </ActionButton>
        </div>
        <p className="hint hint-good secret-copied" aria-live="polite">
          {copied === true && (copiedText ?? t('common.copied'))}
          {copied === false && t('secret.copyFailed')}
        </p>
        {children}
        <p>{once}</p>
        <div className="dialog-actions">
          <ActionButton variant="primary" onPress={onSaved}>
            {t('secret.saved')}
          </ActionButton>
        </div>
      </div>
    </Modal>
  );
}

/** Shows a secret that was just made. It is gone once this closes, so it asks whether the secret was saved. */
import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { ActionButton } from './ActionButton.tsx';
import { copyText } from './CopyButton.tsx';
import { Modal } from './Dialogs.tsx';

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
  /** Resolves to whether the secret was copied. */
  readonly onCopy?: (secret: string) => Promise<boolean>;
  /** That it was copied, and what follows from it. */
  readonly copiedText?: string | undefined;
  /** What else can be done with the secret while it is shown. */
  readonly children?: ReactNode;
};

/** Escape does not close it. */
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

/** A button that sends a mail and shows the recipient beside it. */
import { Mail } from 'lucide-react';
import { ActionButton } from '../../components/ActionButton.tsx';
import { useMessages } from '../i18n/messages.ts';

type SendButtonProps = {
  readonly pending: boolean;
  /** The recipient, once the mail was sent. */
  readonly sentTo: string | null;
  /** If omitted, the button submits its form. */
  readonly onPress?: () => void;
};

export function SendButton({ pending, sentTo, onPress }: SendButtonProps) {
  const { t } = useMessages();
  return (
    <div className="send-mail">
      <ActionButton
        icon={Mail}
        pending={pending}
        {...(onPress === undefined ? { type: 'submit' as const } : { onPress })}
      >
        {t('licenses.send')}
      </ActionButton>
      <span className="hint hint-good wrap-anywhere" aria-live="polite">
        {pending && t('licenses.sending')}
        {sentTo !== null && t('licenses.sentTo', { email: sentTo })}
      </span>
    </div>
  );
}

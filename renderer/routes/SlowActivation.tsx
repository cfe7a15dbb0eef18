/** What an activation shows while the server is slow to respond. */
import { SlowServer, type SlowServerProps } from '../components/SlowServer.tsx';
import { useMessages } from '../i18n/messages.ts';
import type { Action } from '../use-action.ts';

type Props = { readonly action: Action };

export function SlowActivation({ action }: Props) {
  return <SlowServer {...useSlowActivation(action)} />;
}

/** Returns what is shown of the activation. */
export function useSlowActivation({ pending, stopWaiting }: Action): SlowServerProps {
  const { t } = useMessages();
  return {
    pending,
    text: t('slowServer.activating'),
    cancelLabel: t('slowServer.stopWaiting'),
    onCancel: stopWaiting,
  };
}

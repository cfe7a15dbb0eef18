/** A button that copies text that is not secret; the main process copies secrets and clears the clipboard. */
import { Check, Copy } from 'lucide-react';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { useBriefly } from '../use-timers.ts';
import { ActionButton } from './ActionButton.tsx';

type CopyButtonProps = {
  readonly text: string | null;
  /** Defaults to "Copy all". */
  readonly label?: string;
};

/** Disabled while there is no text; shows "Copied" for a few seconds, or until the text changes. */
export function CopyButton({ text, label }: CopyButtonProps) {
  const { t } = useSharedMessages();
  const [copiedText, setCopiedText] = useBriefly<string>();
  const copied = copiedText !== null && copiedText === text;
  const copy = async () => {
    if (text !== null && (await copyText(text))) setCopiedText(text);
  };
  return (
    <ActionButton variant="quiet" icon={copied ? Check : Copy} disabled={text === null} onPress={() => void copy()}>
      {copied ? t('common.copied') : (label ?? t('common.copyAll'))}
    </ActionButton>
  );
}

/**
 * Copies the text and resolves to whether that succeeded. Electron denies pages the clipboard API, hence the fallback.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  // Nothing outside a modal dialog can have the focus.
  (focused?.closest('dialog') ?? document.body).append(area);
  area.select();
  const copied = document.execCommand('copy');
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return copied;
}

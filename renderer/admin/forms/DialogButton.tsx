/** A button that opens a dialog. */
import type { LucideIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { ActionButton } from '../../components/ActionButton.tsx';

type DialogButtonProps = {
  readonly label: string;
  readonly icon?: LucideIcon;
  /** Rendered while the dialog is open; calls `close` to close it. */
  readonly dialog: (close: () => void) => ReactNode;
};

export function DialogButton({ label, icon, dialog }: DialogButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <ActionButton icon={icon} onPress={() => setOpen(true)}>
        {label}
      </ActionButton>
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}

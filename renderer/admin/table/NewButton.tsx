/**
 * A button next to a list's title that opens a dialog. The open dialog is part of the address, so that links can open
 * it.
 */
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AdminEndpointName } from '../../../shared/api/admin-endpoints.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { changeParams, useAddress } from '../routing.ts';
import { useMay } from '../session/session-store.ts';

type NewButtonProps = {
  /** Endpoint that the dialog calls; the button is hidden from staff who may not call it. */
  readonly endpoint: AdminEndpointName;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly variant?: 'primary';
  /** Name of the dialog in the address, if a list has several. */
  readonly name?: string;
  /** Rendered while the dialog is open; calls `close` to close it. */
  readonly dialog: (close: () => void) => ReactNode;
};

export function NewButton({ endpoint, label, icon, variant, name = '1', dialog }: NewButtonProps) {
  const { params } = useAddress();
  if (!useMay(endpoint)) return null;
  return (
    <>
      <ActionButton variant={variant} icon={icon} onPress={() => changeParams({ new: name })}>
        {label}
      </ActionButton>
      {params.get('new') === name && dialog(() => changeParams({ new: '' }, { replace: true }))}
    </>
  );
}

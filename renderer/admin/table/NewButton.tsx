/** A button beside the title of a list that opens a dialog. The address says that it is open, so that a link can open it. */
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AdminEndpointName } from '../../../shared/api/admin-endpoints.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { changeParams, useAddress } from '../routing.ts';
import { useMay } from '../session/session-store.ts';

type NewButtonProps = {
  /** What the dialog calls: there is no button for staff who may not. */
  readonly endpoint: AdminEndpointName;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly variant?: 'primary';
  /** What the address calls the dialog, where a list has several. */
  readonly name?: string;
  /** Rendered while it is open; it calls `close` to be removed. */
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

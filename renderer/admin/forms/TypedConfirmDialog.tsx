/** Confirms an irreversible action: describes its effect and requires typing the name. */
import { type ReactNode, useState } from 'react';
import type { Failure } from '../../../shared/ipc/result.ts';
import { Field } from '../../components/Field.tsx';
import { useMessages } from '../i18n/messages.ts';
import { FormDialog } from './FormDialog.tsx';

type TypedConfirmDialogProps = {
  readonly title: string;
  readonly text: ReactNode;
  /** The text to type; case does not matter. */
  readonly name: string;
  readonly confirmLabel: string;
  readonly pending: boolean;
  readonly failure: Failure | null;
  readonly isClosable?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

export function TypedConfirmDialog({ name, confirmLabel, ...props }: TypedConfirmDialogProps) {
  const { t } = useMessages();
  const [typed, setTyped] = useState('');
  const isSame = typed.trim().toLowerCase() === name.trim().toLowerCase();
  return (
    <FormDialog {...props} submitLabel={confirmLabel} danger disabled={!isSame}>
      <Field label={t('form.typeName', { name })} value={typed} onChange={setTyped} autoComplete="off" />
    </FormDialog>
  );
}

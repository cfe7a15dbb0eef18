/** A dialog with a form: fields, the reason why the last attempt failed, and a submit button. */
import { type FormEvent, type ReactNode, useId } from 'react';
import type { Failure } from '../../../shared/ipc/result.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import { Modal } from '../../components/Dialogs.tsx';
import { FailureAlert } from '../../components/FailureAlert.tsx';
import { useMessages } from '../i18n/messages.ts';

type FormDialogProps = {
  readonly title: string;
  /** Describes the effect of the action and whom it affects. */
  readonly text?: ReactNode;
  readonly submitLabel: string;
  readonly danger?: boolean;
  readonly pending: boolean;
  readonly failure: Failure | null;
  /** Whether it can be closed; true by default. */
  readonly isClosable?: boolean;
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
};

/** Keeps the input if an attempt fails and focuses the first invalid field; clicking outside does not close it. */
export function FormDialog({
  title,
  text,
  pending,
  failure,
  isClosable = true,
  onConfirm,
  onClose,
  ...props
}: FormDialogProps) {
  const { t } = useMessages();
  const textId = useId();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (pending || props.disabled === true) return;
    const form = event.currentTarget;
    onConfirm();
    requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
  };
  return (
    <Modal
      title={title}
      role={props.danger ? 'alertdialog' : 'dialog'}
      describedBy={text === undefined ? undefined : textId}
      focus="first"
      dismissable={isClosable ? false : 'never'}
      onClose={onClose}
    >
      <form className="dialog" onSubmit={submit} noValidate>
        <h2>{title}</h2>
        {text !== undefined && (
          <div id={textId} className="dialog-text">
            {text}
          </div>
        )}
        {props.children}
        {failure !== null && <FailureAlert failure={failure} />}
        <div className="dialog-actions">
          <ActionButton disabled={!isClosable} onPress={onClose}>
            {t('common.cancel')}
          </ActionButton>
          <ActionButton
            type="submit"
            variant={props.danger ? 'danger' : 'primary'}
            pending={pending}
            disabled={props.disabled}
          >
            {props.submitLabel}
          </ActionButton>
        </div>
      </form>
    </Modal>
  );
}

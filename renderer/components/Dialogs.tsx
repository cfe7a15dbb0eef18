/** The window's dialogs: one for any content, a wide one, and one that asks for confirmation. */
import { X } from 'lucide-react';
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import type { Failure } from '../../shared/ipc/result.ts';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { ActionButton, IconButton } from './ActionButton.tsx';
import { FailureAlert } from './FailureAlert.tsx';

type ModalProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly className?: string;
  readonly role?: 'dialog' | 'alertdialog';
  readonly describedBy?: string;
  /**
   * Initial focus: a field with `autoFocus` or a button with `hasFocusFirst`, otherwise the first control or (by
   * default) the dialog itself, so that Enter activates nothing.
   */
  readonly focus?: 'dialog' | 'first';
  /** Whether clicking outside closes it, as Escape does; with `never`, only its own buttons do. */
  readonly dismissable?: boolean | 'never';
};

/** Open while it is rendered. Traps the focus, and returns it on closing. */
export function Modal({ title, focus = 'dialog', dismissable = true, className = '', ...rest }: ModalProps) {
  const ref = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    const wanted = dialog?.querySelector<HTMLElement>('[data-autofocus]');
    if (wanted) wanted.focus();
    else if (focus === 'dialog') dialog?.focus();
    return () => {
      // Removing an open dialog from the page would not return the focus.
      dialog?.close();
      // It has not been returned if a link has opened the dialog, or if the button that did is gone.
      const { activeElement, body } = document;
      const isLost = activeElement === body || dialog?.contains(activeElement) === true;
      if (isLost) document.getElementById('content')?.focus();
    };
  }, [focus]);
  return createPortal(
    <dialog
      ref={ref}
      className={`modal ${className}`}
      role={rest.role}
      aria-label={title}
      aria-describedby={rest.describedBy}
      tabIndex={-1}
      closedby={dismissable === 'never' ? 'none' : dismissable ? 'any' : 'closerequest'}
      // Not `onClose`, whose event fires in a later task: a key pressed in between would act on a closed dialog.
      onCancel={(event) => {
        // That of a file field, or of another dialog that was opened here: React passes on both.
        if (event.target !== event.currentTarget) return;
        // Browsers without `closedby` would close it on Escape.
        if (dismissable === 'never') event.preventDefault();
        else rest.onClose();
      }}
    >
      {rest.children}
    </dialog>,
    document.body,
  );
}

type WideDialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A wide dialog with a Close button. */
export function WideDialog({ title, onClose, children }: WideDialogProps) {
  const { t } = useSharedMessages();
  return (
    <Modal title={title} className="modal-wide" onClose={onClose}>
      <div className="dialog">
        <header className="dialog-header">
          <h2>{title}</h2>
          <IconButton icon={X} label={t('common.close')} onPress={onClose} />
        </header>
        {children}
      </div>
    </Modal>
  );
}

type ConfirmDialogProps = {
  readonly title: string;
  readonly text: ReactNode;
  /** Choices below the text. */
  readonly children?: ReactNode;
  readonly confirmLabel: string;
  readonly danger?: boolean;
  readonly pending: boolean;
  readonly failure?: Failure | null;
  /** Whether it can be closed; true by default. */
  readonly isClosable?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Explains the effect of the action; Cancel has the focus. */
export function ConfirmDialog({ isClosable = true, ...props }: ConfirmDialogProps) {
  const { t } = useSharedMessages();
  const textId = useId();
  return (
    <Modal
      title={props.title}
      role="alertdialog"
      describedBy={textId}
      focus="first"
      dismissable={isClosable ? true : 'never'}
      onClose={props.onClose}
    >
      <div className="dialog">
        <h2>{props.title}</h2>
        <div id={textId} className="dialog-text">
          {props.text}
        </div>
        {props.children}
        {props.failure && <FailureAlert failure={props.failure} />}
        <div className="dialog-actions">
          <ActionButton hasFocusFirst disabled={!isClosable} onPress={props.onClose}>
            {t('common.cancel')}
          </ActionButton>
          <ActionButton variant={props.danger ? 'danger' : 'primary'} pending={props.pending} onPress={props.onConfirm}>
            {props.confirmLabel}
          </ActionButton>
        </div>
      </div>
    </Modal>
  );
}

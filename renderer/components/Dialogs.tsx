/** The window's dialogs: a wide one with any content, and one that asks for confirmation. */
import { X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import type { Failure } from '../../shared/ipc/result.ts';
import { useMessages } from '../i18n/messages.ts';
import { ActionButton, IconButton } from './ActionButton.tsx';
import { FailureAlert } from './FailureAlert.tsx';

type WideDialogProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** Closes on Escape, on its button and on a press outside; the focus returns to where it was. */
export function WideDialog({ title, onClose, children }: WideDialogProps) {
  const { t } = useMessages();
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal modal-wide">
        <Dialog className="dialog">
          <header className="dialog-header">
            <Heading slot="title">{title}</Heading>
            <IconButton icon={X} label={t('common.close')} onPress={onClose} />
          </header>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

type ConfirmDialogProps = {
  readonly title: string;
  readonly text: ReactNode;
  readonly confirmLabel: string;
  readonly danger?: boolean;
  readonly pending: boolean;
  readonly failure?: Failure | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Explains what the action does; Cancel has the focus. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { t } = useMessages();
  const textId = useId();
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={(open) => !open && props.onClose()}>
      <Modal className="modal">
        <Dialog className="dialog" role="alertdialog" aria-describedby={textId}>
          <Heading slot="title">{props.title}</Heading>
          <p id={textId} className="dialog-text">
            {props.text}
          </p>
          {props.failure && <FailureAlert failure={props.failure} />}
          <div className="dialog-actions">
            <ActionButton autoFocus onPress={props.onClose}>
              {t('common.cancel')}
            </ActionButton>
            <ActionButton
              variant={props.danger ? 'danger' : 'primary'}
              pending={props.pending}
              onPress={props.onConfirm}
            >
              {props.confirmLabel}
            </ActionButton>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

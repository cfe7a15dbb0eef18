/** The window's dialogs: one that shows something, and one that asks before an act. */
import { X } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Button, Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import type { Failure } from '../../shared/ipc/result.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { ActButton } from './ActButton.tsx';
import { FailureNotice } from './FailureNotice.tsx';

type SheetProps = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** Escape, the cross and a press beside it close it; the focus goes back to where it came from. */
export function Sheet({ title, onClose, children }: SheetProps) {
  const { t } = useSentences();
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="modal modal-wide">
        <Dialog className="dialog">
          <header className="dialog-header">
            <Heading slot="title">{title}</Heading>
            <Button className="button button-quiet button-icon" aria-label={t('common.close')} onPress={onClose}>
              <X className="icon" aria-hidden />
            </Button>
          </header>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

type ConfirmProps = {
  readonly title: string;
  readonly text: ReactNode;
  readonly act: string;
  readonly danger?: boolean;
  readonly pending: boolean;
  readonly failure?: Failure | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Says what the act will do; the safe answer has the focus. */
export function Confirm(props: ConfirmProps) {
  const { t } = useSentences();
  const textId = useId();
  return (
    <ModalOverlay className="overlay" isOpen isDismissable onOpenChange={(open) => !open && props.onClose()}>
      <Modal className="modal">
        <Dialog className="dialog" role="alertdialog" aria-describedby={textId}>
          <Heading slot="title">{props.title}</Heading>
          <p id={textId} className="dialog-text">
            {props.text}
          </p>
          {props.failure && <FailureNotice failure={props.failure} />}
          <div className="dialog-acts">
            <ActButton autoFocus onPress={props.onClose}>
              {t('common.cancel')}
            </ActButton>
            <ActButton weight={props.danger ? 'danger' : 'primary'} pending={props.pending} onPress={props.onConfirm}>
              {props.act}
            </ActButton>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

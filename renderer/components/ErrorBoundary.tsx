/** Shows what went wrong in place of components that cannot be rendered; without it, React leaves an empty window. */
import { Component, type ReactNode } from 'react';
import type { Failure } from '../../shared/ipc/result.ts';
import { failureMessage } from '../i18n/failure-message.ts';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { failureFrom } from '../run-command.ts';
import { ActionButton } from './ActionButton.tsx';
import { Modal } from './Dialogs.tsx';
import { FailureAlert } from './FailureAlert.tsx';

/** Code could not be loaded. The page does not ask for it a second time, so only reloading the page helps. */
export class CodeNotLoaded extends Error {}

type Props = {
  readonly children: ReactNode;
  /** Closes the children, if they are a dialog: the message then is one too. */
  readonly onClose?: () => void;
};
type State = { readonly failure: Failure | null };

/** Catches errors of its children, including code that cannot be loaded. React itself logs them. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failure: null };

  static getDerivedStateFromError(error: unknown): State {
    const failure = failureFrom(error);
    return { failure: error instanceof CodeNotLoaded ? { ...failure, code: 'CODE_NOT_LOADED' } : failure };
  }

  override render() {
    const { failure } = this.state;
    const { children, onClose } = this.props;
    if (failure === null) return children;
    const renderFailure = { failure, onRetry: () => this.setState({ failure: null }) };
    return onClose === undefined ? (
      <div className="render-failure">
        <RenderFailure {...renderFailure} />
      </div>
    ) : (
      <FailureDialog {...renderFailure} onClose={onClose} />
    );
  }
}

type RenderFailureProps = { readonly failure: Failure; readonly onRetry: () => void; readonly onClose?: () => void };

function FailureDialog(props: RenderFailureProps & { readonly onClose: () => void }) {
  const { t } = useSharedMessages();
  return (
    <Modal title={failureMessage(props.failure, t).what} role="alertdialog" focus="first" onClose={props.onClose}>
      <div className="dialog">
        <RenderFailure {...props} />
      </div>
    </Modal>
  );
}

function RenderFailure({ failure, onRetry, onClose }: RenderFailureProps) {
  const { t } = useSharedMessages();
  const isLoadable = failure.code !== 'CODE_NOT_LOADED';
  return (
    <FailureAlert
      failure={failure}
      actions={
        <>
          <ActionButton onPress={isLoadable ? onRetry : () => window.location.reload()}>
            {t(isLoadable ? 'common.retry' : 'common.reload')}
          </ActionButton>
          {onClose !== undefined && (
            <ActionButton hasFocusFirst onPress={onClose}>
              {t('common.close')}
            </ActionButton>
          )}
        </>
      }
    />
  );
}

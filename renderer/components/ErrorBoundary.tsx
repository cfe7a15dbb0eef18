/** Shows what went wrong in place of components that cannot be rendered; without it, React leaves an empty window. */
import { Component, type ReactNode } from 'react';
import type { Failure } from '../../shared/ipc/result.ts';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { failureNow } from '../run-command.ts';
import { ActionButton } from './ActionButton.tsx';
import { FailureAlert } from './FailureAlert.tsx';

type Props = { readonly children: ReactNode };
type State = { readonly failure: Failure | null };

/** Catches errors of its children, including code that cannot be loaded. React itself logs them. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failure: null };

  static getDerivedStateFromError(error: unknown): State {
    return { failure: failureNow('INTERNAL', error instanceof Error ? error.message : String(error)) };
  }

  override render() {
    const { failure } = this.state;
    if (failure === null) return this.props.children;
    return <RenderFailure failure={failure} onRetry={() => this.setState({ failure: null })} />;
  }
}

function RenderFailure({ failure, onRetry }: { readonly failure: Failure; readonly onRetry: () => void }) {
  const { t } = useSharedMessages();
  return (
    <div className="render-failure">
      <FailureAlert failure={failure} actions={<ActionButton onPress={onRetry}>{t('common.retry')}</ActionButton>} />
    </div>
  );
}

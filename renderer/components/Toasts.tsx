/**
 * Toasts at the bottom of the page, announced to screen readers: results disappear after six seconds unless hovered or
 * focused, failures stay until closed, and work stays until it is done.
 */
import { LoaderCircle, X } from 'lucide-react';
import { type ReactNode, useContext, useEffect, useState } from 'react';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { ActionButton, IconButton } from './ActionButton.tsx';
import { ToneIcon } from './Banner.tsx';
import { ConnectionHelp } from './FailureAlert.tsx';
import { dismissToast, type Toast, useToasts } from './toast-store.ts';

export function Toasts() {
  const toasts = useToasts((store) => store.toasts);
  const others = toasts.filter(({ tone }) => tone !== 'blocked');
  const failures = toasts.filter(({ tone }) => tone === 'blocked');
  return (
    <div className="toasts">
      {failures.map((toast) => (
        <FailureToast key={toast.id} toast={toast} />
      ))}
      <div className="toast-results" aria-live="polite">
        {others.map((toast) =>
          toast.tone === 'pending' ? (
            <PendingToast key={toast.id} toast={toast} />
          ) : (
            <ResultToast key={toast.id} toast={toast} />
          ),
        )}
      </div>
    </div>
  );
}

function FailureToast({ toast }: { readonly toast: Toast }) {
  const help = useContext(ConnectionHelp);
  return (
    <div className="toast" role="alert">
      <ToastContent toast={toast}>{toast.isConnectionFailure && help}</ToastContent>
    </div>
  );
}

function ResultToast({ toast }: { readonly toast: Toast }) {
  const [isHovered, setHovered] = useState(false);
  const [isFocused, setFocused] = useState(false);
  useEffect(() => {
    if (isHovered || isFocused) return;
    const timer = window.setTimeout(() => dismissToast(toast.id), 6000);
    return () => window.clearTimeout(timer);
  }, [isHovered, isFocused, toast.id]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: moving the pointer over it only pauses its timer
    <div
      className="toast"
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <ToastContent toast={toast} />
    </div>
  );
}

function PendingToast({ toast: { text, action } }: { readonly toast: Toast }) {
  return (
    <div className="toast">
      <LoaderCircle className="icon spin" aria-hidden />
      <span className="toast-text wrap-anywhere">{text}</span>
      {action && (
        <ActionButton variant="quiet" onPress={action.onPress}>
          {action.label}
        </ActionButton>
      )}
    </div>
  );
}

function ToastContent({ toast, children }: { readonly toast: Toast; readonly children?: ReactNode }) {
  const { t } = useSharedMessages();
  return (
    <>
      <ToneIcon tone={toast.tone === 'blocked' ? 'blocked' : 'good'} />
      <span className="toast-text wrap-anywhere">{toast.text}</span>
      {children}
      <IconButton icon={X} label={t('common.close')} onPress={() => dismissToast(toast.id)} />
    </>
  );
}

/** What a form or a button shows while the server is slow to respond. */
import { useEffect, useLayoutEffect, useRef } from 'react';
import { useDelayed } from '../use-timers.ts';
import { showPendingToast } from './toast-store.ts';

const slowAfterMs = 4000;

export type SlowServerProps = {
  readonly pending: boolean;
  readonly text: string;
  /** Label of the button that ends the waiting. */
  readonly cancelLabel: string;
  readonly onCancel: () => void;
};

/** After some seconds, says that the form still waits, and has a button to end that. */
export function SlowServer({ pending, text, cancelLabel, onCancel }: SlowServerProps) {
  const slow = useDelayed(pending, slowAfterMs);
  if (!pending) return null;
  return (
    <div className={slow ? 'slow-server' : 'visually-hidden'}>
      {/* Present before its text, which is announced only then. */}
      <p className="hint" aria-live="polite">
        {slow && text}
      </p>
      {slow && <CancelButton label={cancelLabel} onPress={onCancel} />}
    </div>
  );
}

/** The same as a toast, for a button without space for it. */
export function useSlowServerToast({ pending, text, cancelLabel, onCancel }: SlowServerProps): void {
  const slow = useDelayed(pending, slowAfterMs);
  useEffect(() => {
    if (!slow) return;
    return showPendingToast(text, { label: cancelLabel, onPress: onCancel });
  }, [slow, text, cancelLabel, onCancel]);
}

/** Leaves the focus to the main button of the form or dialog, or to the dialog, when it disappears. */
function CancelButton({ label, onPress }: { readonly label: string; readonly onPress: () => void }) {
  const ref = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const button = ref.current;
    return () => {
      if (document.activeElement !== button) return;
      const frame = button?.closest<HTMLElement>('form, dialog, section');
      (frame?.querySelector<HTMLElement>('.button-primary') ?? frame)?.focus();
    };
  }, []);
  return (
    <button ref={ref} type="button" className="link" onClick={onPress}>
      {label}
    </button>
  );
}

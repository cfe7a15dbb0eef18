/** What a form shows while the server is slow to respond. */
import { useLayoutEffect, useRef } from 'react';
import { useDelayed } from '../use-timers.ts';

const slowAfterMs = 4000;

type SlowServerProps = {
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

/** Leaves the focus to the form's submit button when it disappears. */
function CancelButton({ label, onPress }: { readonly label: string; readonly onPress: () => void }) {
  const ref = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const button = ref.current;
    return () => {
      if (document.activeElement === button) button?.form?.querySelector<HTMLElement>('[type="submit"]')?.focus();
    };
  }, []);
  return (
    <button ref={ref} type="button" className="link" onClick={onPress}>
      {label}
    </button>
  );
}

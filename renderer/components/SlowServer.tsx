/** What a form shows while the server is slow to respond. */
import type { MouseEvent } from 'react';
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
  const cancel = ({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
    // The pressed button disappears.
    currentTarget.form?.querySelector<HTMLElement>('[type="submit"]')?.focus();
    onCancel();
  };
  if (!pending) return null;
  return (
    <div className="slow-server">
      {/* Present before its text, which is announced only then. */}
      <p className="hint" aria-live="polite">
        {slow && text}
      </p>
      {slow && (
        <button type="button" className="link" onClick={cancel}>
          {cancelLabel}
        </button>
      )}
    </div>
  );
}

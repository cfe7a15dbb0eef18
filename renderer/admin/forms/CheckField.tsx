/** A checkbox with its label and a hint. */
import { useId } from 'react';

type CheckFieldProps = {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly hint?: string;
};

export function CheckField({ label, checked, onChange, hint }: CheckFieldProps) {
  const inputId = useId();
  const hintId = useId();
  return (
    <div className="field">
      <label className="check" htmlFor={inputId}>
        <input
          id={inputId}
          type="checkbox"
          checked={checked}
          aria-describedby={hint === undefined ? undefined : hintId}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      {hint !== undefined && (
        <span id={hintId} className="hint check-hint">
          {hint}
        </span>
      )}
    </div>
  );
}

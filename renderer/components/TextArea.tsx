/** A field for a text of several lines, with its label and a hint. */
import { useId } from 'react';

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly maxLength?: number;
};

export function TextArea({ label, value, onChange, hint, maxLength }: Props) {
  const inputId = useId();
  const hintId = useId();
  return (
    <div className="field">
      <label className="label" htmlFor={inputId}>
        {label}
      </label>
      <div className="field-box">
        <textarea
          id={inputId}
          className="input mono text-area"
          rows={4}
          value={value}
          maxLength={maxLength}
          onChange={(event) => onChange(event.target.value)}
          aria-describedby={hint === undefined ? undefined : hintId}
          spellCheck={false}
          autoCapitalize="off"
          autoComplete="off"
        />
      </div>
      {hint !== undefined && (
        <span id={hintId} className="hint">
          {hint}
        </span>
      )}
    </div>
  );
}

/** A multiline text field with label and hint. */
import { useId } from 'react';

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  readonly maxLength?: number;
  readonly autoFocus?: boolean;
};

export function TextArea({ label, hint, value, onChange, maxLength, autoFocus = false }: Props) {
  const id = useId();
  const hintId = useId();
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <div className="field-box">
        <textarea
          id={id}
          className="input text-area mono"
          rows={6}
          value={value}
          maxLength={maxLength}
          onChange={(event) => onChange(event.target.value)}
          aria-describedby={hint === undefined ? undefined : hintId}
          // For a dialog that opens with it, and for one that is open already.
          data-autofocus={autoFocus || undefined}
          // biome-ignore lint/a11y/noAutofocus: the dialog was opened to paste into this field
          autoFocus={autoFocus}
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

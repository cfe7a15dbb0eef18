/** A select with its label and a hint, the counterpart of `Field` for text. */
import { ChevronDown } from 'lucide-react';
import { useId } from 'react';

type SelectFieldProps = {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly id: string; readonly name: string }[];
  readonly onChange: (value: string) => void;
  readonly hint?: string;
};

export function SelectField({ label, value, options, onChange, hint }: SelectFieldProps) {
  const selectId = useId();
  const hintId = useId();
  return (
    <div className="field">
      <label className="label" htmlFor={selectId}>
        {label}
      </label>
      <div className="choice choice-field">
        <select
          id={selectId}
          className="button button-secondary"
          value={value}
          aria-describedby={hint === undefined ? undefined : hintId}
          onChange={(event) => onChange(event.target.value)}
        >
          {options.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        <ChevronDown className="icon icon-small" aria-hidden />
      </div>
      {hint !== undefined && (
        <span id={hintId} className="hint">
          {hint}
        </span>
      )}
    </div>
  );
}

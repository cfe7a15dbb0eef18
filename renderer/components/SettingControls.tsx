/** Controls of the settings screen: a select and a switch. */
import { ChevronDown } from 'lucide-react';
import { useId } from 'react';

type SettingSelectProps<T extends string> = {
  /** Id by which a command focuses the control. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: string;
  readonly value: T;
  readonly options: readonly { readonly id: T; readonly name: string; readonly lang?: string }[];
  readonly onChange: (value: T) => void;
};

export function SettingSelect<T extends string>({ id, label, hint, value, options, onChange }: SettingSelectProps<T>) {
  const ownId = useId();
  const selectId = id ?? ownId;
  const hintId = useId();
  return (
    <div className="setting">
      <div className="setting-text">
        <label className="label" htmlFor={selectId}>
          {label}
        </label>
        {hint !== undefined && (
          <span id={hintId} className="hint">
            {hint}
          </span>
        )}
      </div>
      <div className="choice">
        <select
          id={selectId}
          className="button button-secondary"
          value={value}
          aria-describedby={hint === undefined ? undefined : hintId}
          onChange={(event) => onChange(event.target.value as T)}
        >
          {options.map(({ id: option, name, lang }) => (
            <option key={option} value={option} lang={lang}>
              {name}
            </option>
          ))}
        </select>
        <ChevronDown className="icon icon-small" aria-hidden />
      </div>
    </div>
  );
}

type SettingSwitchProps = {
  /** Id by which a command focuses the control. */
  readonly id?: string;
  readonly label: string;
  readonly hint: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
};

export function SettingSwitch({ id, label, hint, on, onChange }: SettingSwitchProps) {
  const hintId = useId();
  return (
    <div className="setting">
      <label className="toggle">
        <span className="label">{label}</span>
        <input
          id={id}
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a native checkbox exposes its own state
          role="switch"
          className="visually-hidden"
          checked={on}
          onChange={(event) => onChange(event.target.checked)}
          aria-describedby={hintId}
        />
        <span className="toggle-track" aria-hidden>
          <span className="toggle-thumb" />
        </span>
      </label>
      <p id={hintId} className="hint">
        {hint}
      </p>
    </div>
  );
}

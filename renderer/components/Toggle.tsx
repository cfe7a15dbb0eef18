/** A setting that is on or off. */
import { useId } from 'react';
import { Switch } from 'react-aria-components';

type Props = {
  readonly label: string;
  readonly hint: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
};

export function Toggle({ label, hint, on, onChange }: Props) {
  const hintId = useId();
  return (
    <div className="setting">
      <Switch className="toggle" isSelected={on} onChange={onChange} aria-describedby={hintId}>
        <span className="label">{label}</span>
        <span className="toggle-track" aria-hidden>
          <span className="toggle-thumb" />
        </span>
      </Switch>
      <p id={hintId} className="hint">
        {hint}
      </p>
    </div>
  );
}

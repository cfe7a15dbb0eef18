/** The controls on the settings screen: a select and a switch. */
import { Check, ChevronDown } from 'lucide-react';
import { useId } from 'react';
import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue, Switch, Text } from 'react-aria-components';

type SettingSelectProps<T extends string> = {
  readonly label: string;
  readonly hint?: string;
  readonly value: T;
  readonly options: readonly { readonly id: T; readonly name: string; readonly lang?: string }[];
  readonly onChange: (value: T) => void;
};

export function SettingSelect<T extends string>({ label, hint, value, options, onChange }: SettingSelectProps<T>) {
  return (
    <Select className="setting" value={value} onChange={(key) => onChange(key as T)}>
      <div className="setting-text">
        <Label className="label">{label}</Label>
        {hint !== undefined && (
          <Text slot="description" className="hint">
            {hint}
          </Text>
        )}
      </div>
      <Button className="button button-secondary choice">
        <SelectValue className="button-text" />
        <ChevronDown className="icon icon-small" aria-hidden />
      </Button>
      <Popover className="popover" placement="bottom end">
        <ListBox className="menu" items={options}>
          {({ id, name, lang }) => (
            <ListBoxItem id={id} className="menu-item" textValue={name}>
              {({ isSelected }) => (
                <>
                  <span className="menu-item-label" lang={lang}>
                    {name}
                  </span>
                  {isSelected && <Check className="icon" aria-hidden />}
                </>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}

type SettingSwitchProps = {
  readonly label: string;
  readonly hint: string;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
};

export function SettingSwitch({ label, hint, on, onChange }: SettingSwitchProps) {
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

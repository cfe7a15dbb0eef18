/** A choice of one among a few, as a list that opens. */
import { Check, ChevronDown } from 'lucide-react';
import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue, Text } from 'react-aria-components';

type Props<T extends string> = {
  readonly label: string;
  readonly hint?: string;
  readonly value: T;
  readonly options: readonly { readonly id: T; readonly name: string; readonly lang?: string }[];
  readonly onChange: (value: T) => void;
};

export function Choice<T extends string>({ label, hint, value, options, onChange }: Props<T>) {
  return (
    <Select className="setting" value={value} onChange={(key) => onChange(key as T)}>
      <div className="setting-words">
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

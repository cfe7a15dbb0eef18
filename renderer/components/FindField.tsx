/** The field that searches the list on a screen: its shortcut focuses it, and Escape empties it. */
import { Field } from './Field.tsx';

const fieldId = 'find';

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

export function FindField(props: Props) {
  const { value, onChange } = props;
  return <Field {...props} id={fieldId} autoComplete="off" {...(value !== '' && { onEscape: () => onChange('') })} />;
}

/** Focuses the field and selects what was searched for; returns false if the screen has none. */
export function focusFindField(): boolean {
  const field = document.getElementById(fieldId);
  if (!(field instanceof HTMLInputElement)) return false;
  field.focus();
  field.select();
  return true;
}

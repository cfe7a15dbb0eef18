/** A text field with its label, a hint, and its error. */
import { type ReactNode, useId } from 'react';
import { FieldError, Input, Label, Text, TextField } from 'react-aria-components';

type Props = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly name?: string;
  readonly type?: 'text' | 'email' | 'password' | 'url';
  readonly hint?: ReactNode;
  readonly error?: string | null;
  readonly autoComplete?: string;
  readonly placeholder?: string;
  readonly mono?: boolean;
  readonly autoFocus?: boolean;
  readonly disabled?: boolean;
  readonly onEnter?: () => void;
  /** A control inside the field, at its end. */
  readonly trailing?: ReactNode;
};

/** The error replaces the hint in the same position, so that nothing jumps. */
export function Field({ label, hint, error = null, trailing, ...rest }: Props) {
  const inputId = useId();
  return (
    <TextField
      className="field"
      id={inputId}
      value={rest.value}
      onChange={rest.onChange}
      name={rest.name}
      type={rest.type ?? 'text'}
      isInvalid={error !== null}
      validationBehavior="aria"
      autoComplete={rest.autoComplete}
      isDisabled={rest.disabled}
      autoFocus={rest.autoFocus}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || rest.onEnter === undefined) return;
        event.preventDefault();
        rest.onEnter();
      }}
    >
      <Label className="label">{label}</Label>
      <div className="field-box">
        <Input
          className={rest.mono ? 'input mono' : 'input'}
          placeholder={rest.placeholder}
          spellCheck={false}
          autoCapitalize="off"
        />
        {trailing}
      </div>
      {error === null && hint !== undefined && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="hint hint-error">{error}</FieldError>
    </TextField>
  );
}

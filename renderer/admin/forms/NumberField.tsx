/** A field for a whole number that states its valid range. */
import { Field } from '../../components/Field.tsx';
import { useMessages } from '../i18n/messages.ts';
import { isInRange, type NumberRange } from './whole-numbers.ts';

type NumberFieldProps = {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly range: NumberRange;
  /** Whether the user tried to submit; no error is shown before that. */
  readonly tried: boolean;
  readonly hint?: string;
};

export function NumberField({ range, tried, ...field }: NumberFieldProps) {
  const { t, locale } = useMessages();
  const { least, most } = range;
  const error = t('form.numberError', { least, most: most.toLocaleString(locale) });
  return (
    <Field
      {...field}
      type="number"
      min={String(least)}
      error={tried && !isInRange(field.value, range) ? error : null}
    />
  );
}

/** A password field, masked unless the user chooses to show it. */
import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { defaultMinPasswordLength } from '../../shared/formats/password.ts';
import { useSharedMessages } from '../i18n/shared-messages.ts';
import { IconButton } from './ActionButton.tsx';
import { Field } from './Field.tsx';

type PasswordFieldProps = {
  readonly value: string;
  readonly onChange: (password: string) => void;
  /** Whether a new password is being chosen: the rules are shown, and password managers suggest one. */
  readonly isNew?: boolean;
  /** Minimum length of a new password, if the server has sent it. */
  readonly minLength?: number;
  readonly error?: string | null;
  /** See `Field`. */
  readonly refusal?: string | null;
  readonly label?: string;
  /** Name of the field, if the form has several. */
  readonly name?: string;
  /** Defaults to advice on choosing a good password, if a new one is being chosen. */
  readonly hint?: string;
  readonly autoFocus?: boolean;
};

export function PasswordField(props: PasswordFieldProps) {
  const { isNew = false, minLength = defaultMinPasswordLength, label, name = 'password', hint, ...rest } = props;
  const { t } = useSharedMessages();
  const [shown, setShown] = useState(false);
  return (
    <Field
      {...rest}
      label={label ?? t('credentials.password')}
      name={name}
      type={shown ? 'text' : 'password'}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      hint={hint ?? (isNew ? t('credentials.passwordHint', { least: minLength }) : undefined)}
      trailing={
        <IconButton
          icon={shown ? EyeOff : Eye}
          label={shown ? t('credentials.hide') : t('credentials.reveal')}
          onPress={() => setShown(!shown)}
        />
      }
    />
  );
}

/** A field for a password: masked unless the user chooses to show it. */
import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { useMessages } from '../i18n/messages.ts';
import { IconButton } from './ActionButton.tsx';
import { Field } from './Field.tsx';

type Props = {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onChange: (password: string) => void;
  /** Whether it is one to choose: the rules are shown, and password managers offer one. */
  readonly isNew: boolean;
  readonly error: string | null;
  readonly autoFocus?: boolean;
};

export function PasswordField({ isNew, ...field }: Props) {
  const { t } = useMessages();
  const [shown, setShown] = useState(false);
  return (
    <Field
      {...field}
      type={shown ? 'text' : 'password'}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      hint={isNew ? t('signIn.passwordHint') : undefined}
      trailing={
        <IconButton
          icon={shown ? EyeOff : Eye}
          label={shown ? t('signIn.hide') : t('signIn.reveal')}
          onPress={() => setShown(!shown)}
        />
      }
    />
  );
}

/** The password, masked until the person wants to see it. */
import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { Button } from 'react-aria-components';
import { Field } from '../../components/Field.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';

type Props = {
  readonly value: string;
  readonly onChange: (password: string) => void;
  readonly isNew: boolean;
  readonly error: string | null;
};

export function PasswordField({ value, onChange, isNew, error }: Props) {
  const { t } = useSentences();
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <Field
      label={t('signIn.password')}
      name="password"
      type={shown ? 'text' : 'password'}
      autoComplete={isNew ? 'new-password' : 'current-password'}
      value={value}
      onChange={onChange}
      error={error}
      hint={isNew ? t('signIn.passwordHint') : undefined}
      trailing={
        <Button
          className="button button-quiet button-icon"
          aria-label={shown ? t('signIn.hide') : t('signIn.reveal')}
          onPress={() => setShown(!shown)}
        >
          <Icon className="icon" aria-hidden />
        </Button>
      }
    />
  );
}

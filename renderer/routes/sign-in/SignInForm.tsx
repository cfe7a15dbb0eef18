/** Email and password, with a name for a new account; one submit for both. */
import { type FormEvent, useState } from 'react';
import { bridge } from '../../bridge.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { secondsUntil } from '../../components/Countdown.tsx';
import { FailureNotice } from '../../components/FailureNotice.tsx';
import { Field } from '../../components/Field.tsx';
import { mayRetryAt } from '../../i18n/failure-sentence.ts';
import { useSentences } from '../../i18n/use-sentences.ts';
import { type Act, useAct } from '../../use-act.ts';
import { useNow } from '../../use-now.ts';
import { PasswordField } from './PasswordField.tsx';
import { type SignInEntry, type SignInSlip, slipsIn } from './slips.ts';

export type SignInMode = 'sign-in' | 'sign-up';

type Props = {
  readonly mode: SignInMode;
  readonly onMode: (mode: SignInMode) => void;
  /** An address that was typed and is not the server's yet. */
  readonly newAddress: string | null;
  readonly server: Act;
  readonly onAddressTaken: () => void;
};

export function SignInForm({ mode, onMode, newAddress, server, onAddressTaken }: Props) {
  const { t } = useSentences();
  const act = useAct();
  const [entry, setEntry] = useState<SignInEntry>({ email: '', password: '', fullName: '' });
  const [slips, setSlips] = useState<Readonly<Partial<Record<keyof SignInEntry, SignInSlip>>>>({});
  const waitUntil = act.failure === null ? null : mayRetryAt(act.failure);
  const waiting = secondsUntil(waitUntil ?? 0, useNow(1000)) > 0;

  const change = (part: Partial<SignInEntry>) => {
    setEntry({ ...entry, ...part });
    setSlips({});
  };
  const switchTo = (next: SignInMode) => {
    act.clear();
    setSlips({});
    onMode(next);
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const found = slipsIn(entry, mode);
    setSlips(found);
    const [first] = Object.keys(found);
    if (first !== undefined) return focusField(event, first);
    if (waiting) return;
    if (newAddress !== null) {
      if ((await server.run(() => bridge.setServerAddress({ address: newAddress }))) === null) return;
      onAddressTaken();
    }
    const email = entry.email.trim();
    const { password } = entry;
    if (mode === 'sign-in') await act.run(() => bridge.signIn({ email, password }));
    else await act.run(() => bridge.signUp({ email, password, fullName: entry.fullName.trim() }));
  };

  const signingIn = mode === 'sign-in';
  return (
    <form className="sign-in-form" onSubmit={submit} noValidate>
      {act.failure !== null && <FailureNotice failure={act.failure} />}
      {!signingIn && (
        <Field
          label={t('signIn.fullName')}
          hint={t('signIn.fullNameHint')}
          name="fullName"
          autoComplete="name"
          value={entry.fullName}
          onChange={(fullName) => change({ fullName })}
        />
      )}
      <Field
        label={t('signIn.email')}
        name="email"
        type="email"
        autoComplete="username"
        autoFocus
        value={entry.email}
        onChange={(email) => change({ email })}
        error={slips.email === undefined ? null : t(`signIn.${slips.email}`)}
      />
      <PasswordField
        value={entry.password}
        onChange={(password) => change({ password })}
        isNew={!signingIn}
        error={slips.password === undefined ? null : t(`signIn.${slips.password}`)}
      />
      <ActButton
        weight="primary"
        type="submit"
        pending={act.pending || server.pending}
        disabled={waiting}
        className="button-wide"
      >
        {signingIn ? t('signIn.signIn') : t('signIn.createAccount')}
      </ActButton>
      <div className="sign-in-switch">
        <span>{signingIn ? t('signIn.newHere') : t('signIn.haveAccount')}</span>
        <ActButton weight="quiet" onPress={() => switchTo(signingIn ? 'sign-up' : 'sign-in')}>
          {signingIn ? t('signIn.createAccount') : t('signIn.signIn')}
        </ActButton>
      </div>
    </form>
  );
}

function focusField(event: FormEvent, name: string): void {
  const field = (event.currentTarget as HTMLFormElement).elements.namedItem(name);
  if (field instanceof HTMLElement) field.focus();
}

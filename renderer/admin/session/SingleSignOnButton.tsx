/** Buttons for signing in through the identity provider, if the server has one. */
import { LogIn } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { StaffSession } from '../../../shared/api/admin/session.ts';
import { ActionButton } from '../../components/ActionButton.tsx';
import type { Action } from '../../use-action.ts';
import { useMessages } from '../i18n/messages.ts';
import { useOffersSingleSignOn } from './sign-in-options.ts';
import { leaveForProvider, openProvider, watchOutcomes } from './single-sign-on.ts';

type SingleSignOnButtonProps = {
  /** Action of the form, which shows its failures. */
  readonly action: Action;
  readonly onPress?: () => void;
};

/** A button that navigates this page to the identity provider. */
export function SingleSignOnButton({ action, onPress }: SingleSignOnButtonProps) {
  const { t } = useMessages();
  const start = () => {
    onPress?.();
    void action.run(leaveForProvider);
  };
  if (!useOffersSingleSignOn()) return null;
  return (
    <ActionButton icon={LogIn} pending={action.pending} className="button-wide" onPress={start}>
      {t('session.withSingleSignOn')}
    </ActionButton>
  );
}

type SingleSignOnWindowButtonProps = SingleSignOnButtonProps & {
  readonly purpose: 'sign-in' | 'confirm';
  readonly isWide?: boolean;
  readonly onSession: (session: StaffSession) => void;
};

/** A button that opens the identity provider in another window, so that everything open here stays. */
export function SingleSignOnWindowButton({
  action,
  purpose,
  isWide = false,
  onPress,
  onSession,
}: SingleSignOnWindowButtonProps) {
  const { t } = useMessages();
  const latest = useRef({ action, onSession });
  useEffect(() => {
    latest.current = { action, onSession };
  });
  useEffect(
    () =>
      watchOutcomes(async (outcome) => {
        const result = await latest.current.action.run(() => outcome);
        if (result !== null) latest.current.onSession(result.value);
      }),
    [],
  );
  const start = () => {
    onPress?.();
    void action.run(() => openProvider(purpose));
  };
  if (!useOffersSingleSignOn()) return null;
  return (
    <ActionButton icon={LogIn} pending={action.pending} className={isWide ? 'button-wide' : undefined} onPress={start}>
      {t(purpose === 'confirm' ? 'session.confirmSingleSignOn' : 'session.withSingleSignOn')}
    </ActionButton>
  );
}

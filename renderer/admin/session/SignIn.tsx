/** The sign-in screen of the admin page. */
import { useEffect } from 'react';
import type { StaffSession } from '../../../shared/api/admin/session.ts';
import type { SingleSignOnProblem } from '../../../shared/api/admin/single-sign-on-outcome.ts';
import { useMessages } from '../i18n/messages.ts';
import { SessionCard } from './SessionCard.tsx';
import { SignInForm, type SignInMethod } from './SignInForm.tsx';
import { setSignedIn } from './session-store.ts';

/** `problem`: why signing in through the identity provider failed. */
export function SignIn({ problem }: { readonly problem: SingleSignOnProblem | undefined }) {
  const { t } = useMessages();
  useEffect(() => {
    document.title = `${t('credentials.signIn')} · ${t('name')}`;
  }, [t]);
  // Staff without a passkey are offered one immediately.
  const enter = (session: StaffSession, by: SignInMethod) =>
    setSignedIn(session, by === 'password' && session.passkeys === 0);
  return (
    <SessionCard title={t('session.title')}>
      <SignInForm problem={problem} onSignedIn={enter} />
    </SessionCard>
  );
}

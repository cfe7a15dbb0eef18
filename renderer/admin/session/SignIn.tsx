/** The sign-in screen of the admin page. */
import { useEffect } from 'react';
import type { StaffSession } from '../../../shared/api/admin/session.ts';
import { useMessages } from '../i18n/messages.ts';
import { SessionCard } from './SessionCard.tsx';
import { SignInForm } from './SignInForm.tsx';
import { setSignedIn } from './session-store.ts';

export function SignIn() {
  const { t } = useMessages();
  useEffect(() => {
    document.title = `${t('credentials.signIn')} · ${t('name')}`;
  }, [t]);
  // A member of staff without a passkey is offered one at once.
  const enter = (session: StaffSession, by: 'password' | 'passkey') =>
    setSignedIn(session, by === 'password' && session.passkeys === 0);
  return (
    <SessionCard title={t('session.title')}>
      <SignInForm onSignedIn={enter} />
    </SessionCard>
  );
}

/** The one card before anything else: sign in, or create an account, at a server. */
import { useEffect, useState } from 'react';
import { Banner } from '../components/Banner.tsx';
import { BrandMark } from '../components/Brand.tsx';
import { useSentences } from '../i18n/use-sentences.ts';
import { goTo } from '../routing.ts';
import { useApp } from '../store.ts';
import { useAct } from '../use-act.ts';
import { ServerChoice } from './sign-in/ServerChoice.tsx';
import { SignInForm, type SignInMode } from './sign-in/SignInForm.tsx';

export function SignIn() {
  const { t } = useSentences();
  const session = useApp((app) => app.session);
  const address = useApp((app) => app.server.address);
  const [mode, setMode] = useState<SignInMode>('sign-in');
  const [draft, setDraft] = useState<string | null>(null);
  const server = useAct();
  const reason = session.kind === 'signed-out' ? session.reason : null;

  // Whoever signs in next begins at the beginning; a session that the server ended is taken up where it was.
  useEffect(() => {
    if (reason === null) goTo('overview');
  }, [reason]);

  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <header className="sign-in-header">
          <BrandMark />
          <h1>{mode === 'sign-in' ? t('signIn.title') : t('signIn.titleNew')}</h1>
        </header>
        {reason !== null && <Banner tone="attention" role="status" title={t(`signIn.signedOut.${reason}`)} />}
        <SignInForm
          mode={mode}
          onMode={setMode}
          newAddress={draft === null || draft.trim() === address ? null : draft.trim()}
          server={server}
          onAddressTaken={() => setDraft(null)}
        />
        <ServerChoice address={address} draft={draft} onDraft={setDraft} act={server} />
      </div>
    </main>
  );
}

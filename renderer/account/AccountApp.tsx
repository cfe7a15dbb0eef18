/** The root component of the account page: starting, signed out, or signed in. */
import { useEffect } from 'react';
import { ActionButton } from '../components/ActionButton.tsx';
import { BrandMark } from '../components/Brand.tsx';
import { ErrorBoundary } from '../components/ErrorBoundary.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Toasts } from '../components/Toasts.tsx';
import { MessagesProvider } from '../i18n/MessagesProvider.tsx';
import { useMessages, windowMessages } from '../i18n/messages.ts';
import { connectStore, userIdOf, useStore } from '../store.ts';
import { useDelayed } from '../use-timers.ts';
import { AccountLayout } from './AccountLayout.tsx';
import { AccountSignIn } from './AccountSignIn.tsx';
import { readSettings } from './page-settings.ts';

export function AccountApp() {
  const { theme, language } = useStore((store) => store.app?.settings) ?? readSettings();
  const session = useStore((store) => store.app?.session.kind);
  const userId = useStore((store) => userIdOf(store.app));
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return (
    <MessagesProvider messages={windowMessages} language={language}>
      <ErrorBoundary>
        {(session === undefined || session === 'starting') && <Starting />}
        {session === 'signed-out' && <AccountSignIn />}
        {session === 'signed-in' && <AccountLayout key={userId} />}
        <Toasts />
      </ErrorBoundary>
    </MessagesProvider>
  );
}

function Starting() {
  const { t } = useMessages();
  const failure = useStore((store) => store.startFailure);
  const late = useDelayed(failure === null);
  return (
    <main className="starting">
      {failure !== null && (
        <div className="starting-failure">
          <h1>{t('accountPage.startFailed')}</h1>
          <FailureAlert
            failure={failure}
            actions={<ActionButton onPress={connectStore}>{t('common.retry')}</ActionButton>}
          />
        </div>
      )}
      {late && (
        <p className="starting-status" role="status">
          <BrandMark />
          {t('common.loading')}
        </p>
      )}
    </main>
  );
}

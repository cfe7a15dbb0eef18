/** The root component of the admin page: starting, signed out, or signed in. */
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ActionButton } from '../components/ActionButton.tsx';
import { BrandMark } from '../components/Brand.tsx';
import { ErrorBoundary } from '../components/ErrorBoundary.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Toasts } from '../components/Toasts.tsx';
import { MessagesProvider } from '../i18n/MessagesProvider.tsx';
import { useDelayed } from '../use-timers.ts';
import { createQueryClient } from './api/queries.ts';
import { adminMessages, useMessages } from './i18n/messages.ts';
import { AdminLayout } from './layout/AdminLayout.tsx';
import { usePreferences } from './preferences.ts';
import { followOtherTabs } from './session/follow-other-tabs.ts';
import { OfferPasskey } from './session/OfferPasskey.tsx';
import { Prompts } from './session/Prompts.tsx';
import { ReturnedWindow } from './session/ReturnedWindow.tsx';
import { SignIn } from './session/SignIn.tsx';
import { startSession, useSession } from './session/session-store.ts';
import { Welcome } from './session/Welcome.tsx';

export function AdminApp() {
  const { theme, language } = usePreferences();
  const [queries] = useState(createQueryClient);
  useEffect(() => followOtherTabs(queries), [queries]);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return (
    <MessagesProvider messages={adminMessages} language={language}>
      <QueryClientProvider client={queries}>
        <ErrorBoundary>
          <SessionScreen />
          <Prompts />
          <Toasts />
        </ErrorBoundary>
      </QueryClientProvider>
    </MessagesProvider>
  );
}

function SessionScreen() {
  const state = useSession();
  switch (state.kind) {
    case 'starting':
      return <Starting />;
    case 'signed-out':
      return <SignIn problem={state.problem} />;
    case 'returned':
      return <ReturnedWindow outcome={state.outcome} />;
    case 'welcome':
      return <Welcome key={state.token} token={state.token} />;
    case 'signed-in':
      return state.offerPasskey ? (
        <OfferPasskey session={state.session} />
      ) : (
        <AdminLayout key={state.session.staff.id} />
      );
  }
}

function Starting() {
  const { t } = useMessages();
  const failure = useSession((state) => (state.kind === 'starting' ? state.failure : null));
  const late = useDelayed(failure === null);
  return (
    <main className="starting">
      {failure !== null && (
        <div className="starting-failure">
          <h1>{t('session.startFailed')}</h1>
          <FailureAlert
            failure={failure}
            actions={<ActionButton onPress={() => void startSession()}>{t('common.retry')}</ActionButton>}
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

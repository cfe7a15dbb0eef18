/** The root component: starting, signed out, or signed in. */
import { useEffect } from 'react';
import { worksSignedOut } from '../shared/ipc/works-signed-out.ts';
import { BrandMark } from './components/Brand.tsx';
import { ErrorBoundary } from './components/ErrorBoundary.tsx';
import { ConnectionHelp, FailureAlert } from './components/FailureAlert.tsx';
import { LazyContent, LazyDialog, lazyComponent } from './components/LazyContent.tsx';
import { Toasts } from './components/Toasts.tsx';
import { MessagesProvider } from './i18n/MessagesProvider.tsx';
import { useMessages, windowMessages } from './i18n/messages.ts';
import { DoctorButton } from './layout/DoctorButton.tsx';
import { Layout } from './layout/Layout.tsx';
import { OpenRequests } from './layout/OpenRequests.tsx';
import { showDoctor, showSupportFile, userIdOf, useStore } from './store.ts';
import { useDelayed } from './use-timers.ts';

// Loaded on first use.
const SignIn = lazyComponent(async () => (await import('./routes/SignIn.tsx')).SignIn);
const SupportFileDialog = lazyComponent(async () => (await import('./routes/SupportFileDialog.tsx')).SupportFileDialog);
const ConnectionDoctor = lazyComponent(async () => (await import('./layout/ConnectionDoctor.tsx')).ConnectionDoctor);

export function App() {
  const settings = useStore((store) => store.app?.settings);
  const session = useStore((store) => store.app?.session.kind);
  const userId = useStore((store) => userIdOf(store.app));
  const staysOpen = useStore((store) => store.app !== null && worksSignedOut(store.app) && !store.signInOpen);
  const doctorOpen = useStore((store) => store.doctorOpen && store.app !== null);
  const supportFileOpen = useStore((store) => store.supportFileOpen && store.app !== null);
  const theme = settings?.theme ?? 'system';
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
  return (
    // Remounted once the settings are known, so that nothing is shown in another language after that.
    <MessagesProvider
      key={settings === undefined ? 'system' : 'settings'}
      messages={windowMessages}
      language={settings?.language ?? 'system'}
    >
      <ErrorBoundary>
        <ConnectionHelp value={<DoctorButton />}>
          {(session === undefined || session === 'starting') && <Starting />}
          {session === 'signed-out' && !staysOpen && (
            <LazyContent>
              <SignIn />
            </LazyContent>
          )}
          {/* Remounted for each user, so that no dialog of the previous user is shown. */}
          {(session === 'signed-in' || staysOpen) && <Layout key={userId} />}
          {session !== undefined && <OpenRequests />}
          {doctorOpen && (
            <LazyDialog onClose={() => showDoctor(false)}>
              <ConnectionDoctor />
            </LazyDialog>
          )}
          {supportFileOpen && (
            <LazyDialog onClose={() => showSupportFile(false)}>
              <SupportFileDialog onClose={() => showSupportFile(false)} />
            </LazyDialog>
          )}
          <Toasts />
        </ConnectionHelp>
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
          <h1>{t('startFailed')}</h1>
          <p>{t('restartHint')}</p>
          <FailureAlert failure={failure} />
        </div>
      )}
      {late && (
        <p className="starting-status" role="status">
          <BrandMark />
          {t('starting')}
        </p>
      )}
    </main>
  );
}

/** The root component: starting, signed out, or signed in. */
import { useEffect } from 'react';
import type { Settings } from '../shared/ipc/settings.ts';
import { BrandMark } from './components/Brand.tsx';
import { FailureAlert } from './components/FailureAlert.tsx';
import { Toasts } from './components/Toasts.tsx';
import { i18n, languageFor, useMessages } from './i18n/messages.ts';
import { ConnectionDoctor } from './layout/ConnectionDoctor.tsx';
import { Layout } from './layout/Layout.tsx';
import { SignIn } from './routes/SignIn.tsx';
import { useStore } from './store.ts';
import { useDelayed } from './use-timers.ts';

export function App() {
  const settings = useStore((store) => store.app?.settings);
  const session = useStore((store) => store.app?.session.kind);
  useAppearance(settings);
  return (
    <>
      {(session === undefined || session === 'starting') && <Starting />}
      {session === 'signed-out' && <SignIn />}
      {session === 'signed-in' && <Layout />}
      <ConnectionDoctor />
      <Toasts />
    </>
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

/** Applies the theme and the language of the settings to the document. */
function useAppearance(settings: Settings | undefined): void {
  const theme = settings?.theme ?? 'system';
  const language = languageFor(settings?.language ?? 'system');

  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);

  useEffect(() => {
    document.documentElement.lang = language;
    if (i18n.language !== language) void i18n.changeLanguage(language);
  }, [language]);
}

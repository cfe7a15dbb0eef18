/** What the window shows: nothing known yet, sign-in, or the places of somebody signed in. */
import { I18nProvider } from 'react-aria-components';
import { BrandMark } from './components/Brand.tsx';
import { FailureNotice } from './components/FailureNotice.tsx';
import { Notices } from './components/Notices.tsx';
import { useSentences } from './i18n/use-sentences.ts';
import { ConnectionDoctor } from './layout/ConnectionDoctor.tsx';
import { Frame } from './layout/Frame.tsx';
import { SignIn } from './routes/SignIn.tsx';
import { useStore } from './store.ts';
import { useAppearance } from './use-appearance.ts';
import { useDelayed } from './use-delayed.ts';

export function App() {
  const { locale } = useSentences();
  const settings = useStore((store) => store.app?.settings);
  const session = useStore((store) => store.app?.session.kind);
  useAppearance(settings);
  return (
    <I18nProvider locale={locale}>
      {(session === undefined || session === 'starting') && <Starting />}
      {session === 'signed-out' && <SignIn />}
      {session === 'signed-in' && <Frame />}
      <ConnectionDoctor />
      <Notices />
    </I18nProvider>
  );
}

function Starting() {
  const { t } = useSentences();
  const failure = useStore((store) => store.startFailure);
  const late = useDelayed(failure === null);
  return (
    <main className="starting">
      {failure !== null && (
        <div className="starting-failure">
          <h1>{t('startFailed')}</h1>
          <p>{t('restartHint')}</p>
          <FailureNotice failure={failure} />
        </div>
      )}
      {late && (
        <p className="starting-words" role="status">
          <BrandMark />
          {t('starting')}
        </p>
      )}
    </main>
  );
}

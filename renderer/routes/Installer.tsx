/** Compares an installer with the published hash: the one this installation came from, or any file. */
import { FileSearch, ShieldCheck } from 'lucide-react';
import { useId } from 'react';
import { bridge } from '../bridge.ts';
import { ActButton } from '../components/ActButton.tsx';
import { FailureNotice } from '../components/FailureNotice.tsx';
import { Page } from '../components/Page.tsx';
import { useSentences } from '../i18n/use-sentences.ts';
import { useApp } from '../store.ts';
import { useAct } from '../use-act.ts';
import { DropTarget } from './installer/DropTarget.tsx';
import { Verdict } from './installer/Verdict.tsx';
import { Verifying } from './installer/Verifying.tsx';

export function Installer() {
  const { t } = useSentences();
  const installer = useApp((app) => app.installer);
  const ownInstaller = useApp((app) => app.app.ownInstaller);
  const act = useAct();
  const hintId = useId();
  const busy = act.pending || installer.kind === 'verifying';
  return (
    <Page title={t('navigation.installer')} intro={t('installer.intro')}>
      {installer.kind === 'verifying' && <Verifying progress={installer} />}
      <div aria-live="polite" className="verdict-room">
        <Verdict installer={installer} />
      </div>
      {act.failure !== null && installer.kind !== 'failed' && <FailureNotice failure={act.failure} />}
      <DropTarget
        disabled={busy}
        onFile={(file) => void act.run(() => bridge.verifyInstaller({ path: bridge.pathForFile(file) }))}
      >
        <ActButton
          weight={ownInstaller ? 'secondary' : 'primary'}
          icon={FileSearch}
          disabled={busy}
          onPress={() => void act.run(() => bridge.chooseInstaller())}
        >
          {t('installer.choose')}
        </ActButton>
      </DropTarget>
      <div className="panel own-installer">
        <div>
          <h2>{t('installer.ownTitle')}</h2>
          <p id={hintId} className="hint">
            {ownInstaller ? t('installer.ownHint') : t('installer.ownUnknown')}
          </p>
        </div>
        <ActButton
          weight={ownInstaller ? 'primary' : 'secondary'}
          icon={ShieldCheck}
          disabled={busy || !ownInstaller}
          describedBy={hintId}
          onPress={() => void act.run(() => bridge.verifyInstallation())}
        >
          {t('installer.verifyOwn')}
        </ActButton>
      </div>
    </Page>
  );
}

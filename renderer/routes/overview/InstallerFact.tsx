/** What is known of the installer, in a few words. */
import type { InstallerState } from '../../../shared/ipc/app-state.ts';
import { Fact } from '../../components/Facts.tsx';
import { PlaceLink } from '../../components/PlaceLink.tsx';
import { type Translate, useSentences } from '../../i18n/use-sentences.ts';
import { useApp } from '../../store.ts';

export function InstallerFact() {
  const { t } = useSentences();
  const installer = useApp((app) => app.installer);
  return (
    <Fact
      name={t('overview.installer')}
      more={installer.kind === 'idle' && <PlaceLink place="installer">{t('overview.installerLink')}</PlaceLink>}
    >
      {verdict(installer, t)}
    </Fact>
  );
}

function verdict(installer: InstallerState, t: Translate): string {
  switch (installer.kind) {
    case 'idle':
      return t('overview.installerIdle');
    case 'verifying':
      return t('overview.installerVerifying');
    case 'genuine':
      return t('overview.installerGenuine', { version: installer.version });
    case 'not-genuine':
      return t('overview.installerNotGenuine');
    case 'not-published':
      return t('overview.installerNotPublished');
    case 'failed':
      return t('overview.installerFailed');
  }
}

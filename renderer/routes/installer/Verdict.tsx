/** What was found out about a file. */
import type { ReactNode } from 'react';
import type { InstallerState } from '../../../shared/ipc/app-state.ts';
import { Ago } from '../../components/Ago.tsx';
import { Banner } from '../../components/Banner.tsx';
import { Fact, Facts } from '../../components/Facts.tsx';
import { FailureNotice } from '../../components/FailureNotice.tsx';
import { useSentences } from '../../i18n/use-sentences.ts';

export function Verdict({ installer }: { readonly installer: InstallerState }): ReactNode {
  const { t } = useSentences();
  switch (installer.kind) {
    case 'idle':
    case 'verifying':
      return null;
    case 'genuine': {
      const { version } = installer;
      const platform = t(`installer.platform.${installer.platform}`);
      return (
        <Banner tone="good" title={t('installer.genuine')}>
          <p>{t('installer.genuineText', { version, platform })}</p>
          <FileFacts file={installer} />
        </Banner>
      );
    }
    case 'not-genuine':
      return (
        <Banner tone="blocked" title={t('installer.notGenuine')}>
          <p>{t('installer.notGenuineText', { version: installer.version })}</p>
          <FileFacts file={installer} />
        </Banner>
      );
    case 'not-published':
      return (
        <Banner tone="unknown" title={t('installer.notPublished')}>
          {t('installer.notPublishedText')}
        </Banner>
      );
    case 'failed':
      return <FailureNotice failure={installer.failure} />;
  }
}

type FileFactsProps = { readonly file: Extract<InstallerState, { kind: 'genuine' | 'not-genuine' }> };

function FileFacts({ file }: FileFactsProps) {
  const { t } = useSentences();
  return (
    <Facts>
      <Fact name={t('installer.file')}>
        <span className="wrap-anywhere">{file.fileName}</span>
      </Fact>
      <Fact name={t('installer.hash')}>
        <span className="mono wrap-anywhere">{file.hash.replace(/^sha256:/, '')}</span>
      </Fact>
      <Fact name={t('installer.checkedAt')}>
        <Ago at={file.checkedAt} />
      </Fact>
    </Facts>
  );
}

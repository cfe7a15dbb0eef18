/** How secrets are kept here, which version this is, and where help is. */
import type { SecretStorage } from '../../../shared/ipc/app-state.ts';
import { ask, bridge } from '../../bridge.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Fact, Facts } from '../../components/Facts.tsx';
import { Panel } from '../../components/Panel.tsx';
import { platformName } from '../../i18n/platform-name.ts';
import { useSentences } from '../../i18n/use-sentences.ts';
import { useApp } from '../../store.ts';

const storageKeys: Readonly<Record<SecretStorage, 'Keyring' | 'Ask' | 'File' | 'Memory'>> = {
  keyring: 'Keyring',
  ask: 'Ask',
  file: 'File',
  memory: 'Memory',
};

export function AboutPanel() {
  const { t } = useSentences();
  const { version, platform, runtime, links } = useApp((app) => app.app);
  const storage = useApp((app) => app.secretStorage);
  const pages = (['help', 'security'] as const).filter((name) => links.includes(name));
  const deviceId = useApp((app) => app.thisDevice?.deviceId ?? null);
  return (
    <>
      <Panel title={t('settings.secrets')}>
        <p>{t(`settings.secrets${storageKeys[storage]}`)}</p>
      </Panel>
      <Panel title={t('settings.about')}>
        <Facts>
          <Fact name={t('name')} more={runtime === 'browser-host' && t('settings.runtimeHost')}>
            <span className="tabular">{t('settings.version', { version, platform: platformName(platform) })}</span>
          </Fact>
          {deviceId !== null && (
            <Fact name={t('settings.deviceId')}>
              <span className="mono wrap-anywhere">{deviceId}</span>
            </Fact>
          )}
        </Facts>
        {pages.length > 0 && (
          <div className="panel-acts">
            {pages.map((name) => (
              <ActButton key={name} onPress={() => void ask(() => bridge.openLink({ name }))}>
                {t(`settings.${name}`)}
              </ActButton>
            ))}
          </div>
        )}
      </Panel>
    </>
  );
}

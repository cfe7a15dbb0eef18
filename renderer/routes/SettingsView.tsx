/** What a person can set, and how this device keeps its secrets. */
import type { SettingsChange } from '../../shared/ipc/settings.ts';
import { bridge } from '../bridge.ts';
import { Choice } from '../components/Choice.tsx';
import { FailureNotice } from '../components/FailureNotice.tsx';
import { Page } from '../components/Page.tsx';
import { Panel } from '../components/Panel.tsx';
import { Toggle } from '../components/Toggle.tsx';
import { languageNames, languages } from '../i18n/sentences.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { useApp } from '../store.ts';
import { useAct } from '../use-act.ts';
import { FullAccount } from './account/FullAccount.tsx';
import { AboutPanel } from './settings/AboutPanel.tsx';
import { intervalChoices } from './settings/interval-choices.ts';
import { ServerPanel } from './settings/ServerPanel.tsx';

export function SettingsView() {
  const { t } = useSentences();
  const settings = useApp((app) => app.settings);
  const canStartAtLogin = useApp((app) => app.app.runtime === 'electron');
  const act = useAct();
  const change = (part: SettingsChange) => void act.run(() => bridge.changeSettings(part));
  return (
    <Page title={t('settings.title')}>
      {act.failure !== null && <FailureNotice failure={act.failure} />}
      <FullAccount />
      <Panel title={t('settings.appearance')}>
        <Choice
          label={t('settings.theme')}
          value={settings.theme}
          onChange={(theme) => change({ theme })}
          options={[
            { id: 'system', name: t('settings.themeSystem') },
            { id: 'light', name: t('settings.themeLight') },
            { id: 'dark', name: t('settings.themeDark') },
          ]}
        />
        <Choice
          label={t('settings.language')}
          value={settings.language}
          onChange={(language) => change({ language })}
          options={[
            { id: 'system', name: t('settings.languageSystem') },
            ...languages.map((id) => ({ id, name: languageNames[id], lang: id })),
          ]}
        />
      </Panel>
      <Panel title={t('settings.heartbeats')}>
        <Choice
          label={t('settings.interval')}
          hint={t('settings.intervalHint')}
          value={String(settings.heartbeatIntervalSeconds)}
          onChange={(seconds) => change({ heartbeatIntervalSeconds: Number(seconds) })}
          options={intervalChoices(settings.heartbeatIntervalSeconds).map((seconds) => ({
            id: String(seconds),
            name: t('settings.minutes', { count: Math.round(seconds / 6) / 10 }),
          }))}
        />
        {canStartAtLogin && (
          <Toggle
            label={t('settings.startAtLogin')}
            hint={t('settings.startAtLoginHint')}
            on={settings.startAtLogin}
            onChange={(startAtLogin) => change({ startAtLogin })}
          />
        )}
      </Panel>
      <ServerPanel />
      <AboutPanel />
    </Page>
  );
}

/** The settings screen, in groups: the account, how the app behaves, and this installation with its server. */
import { useState } from 'react';
import type { SecretStorage } from '../../shared/ipc/app-state.ts';
import type { SettingsChange } from '../../shared/ipc/settings.ts';
import { bridge } from '../bridge.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { AppearancePanel } from '../components/AppearancePanel.tsx';
import { CopyButton } from '../components/CopyButton.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Page, Panel, PanelGroup } from '../components/Page.tsx';
import { SettingSelect, SettingSwitch } from '../components/SettingControls.tsx';
import { platformName } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { DoctorButton } from '../layout/DoctorButton.tsx';
import { KeyringChoice } from '../layout/KeyringDialog.tsx';
import { useApp } from '../store.ts';
import { useAction, useAttempt } from '../use-action.ts';
import { AccountDetails } from './AccountPanels.tsx';
import { CommandLinePanel } from './CommandLinePanel.tsx';
import { LicenseKeyPanel } from './LicenseKeyPanel.tsx';
import { PrivacyPanel } from './PrivacyPanel.tsx';
import { SecurityPanels } from './SecurityPanels.tsx';
import { ServerPanel } from './ServerPanel.tsx';
import { useAskedSetting } from './use-asked-setting.ts';
import { WhatsNewButton } from './WhatsNewButton.tsx';

export function Settings() {
  const { t } = useMessages();
  const action = useAction();
  const { theme, language } = useApp((app) => app.settings);
  const isSignedIn = useApp((app) => app.session.kind === 'signed-in');
  const change = (settings: SettingsChange) => void action.run(() => bridge.changeSettings(settings));
  useAskedSetting();
  return (
    <Page title={t('settings.title')}>
      {action.failure !== null && <FailureAlert failure={action.failure} />}
      {isSignedIn && (
        <PanelGroup title={t('settings.group.personal')}>
          <AccountDetails />
          <LicenseKeyPanel />
          <SecurityPanels />
          <UnreachablePanel />
        </PanelGroup>
      )}
      <PanelGroup title={t('settings.group.app')}>
        <AppearancePanel theme={theme} language={language} onChange={change} />
        <HeartbeatPanel change={change} />
        <NotificationPanel change={change} />
      </PanelGroup>
      <PanelGroup title={t('settings.group.installation')}>
        <ServerPanel />
        <SecretsPanel />
        <AboutPanel />
        <PrivacyPanel />
        <CommandLinePanel />
      </PanelGroup>
    </Page>
  );
}

type SettingsPanelProps = { readonly change: (settings: SettingsChange) => void };

const intervalMinutes = [1, 2, 5, 10, 15, 30, 60];

function HeartbeatPanel({ change }: SettingsPanelProps) {
  const { t } = useMessages();
  const { heartbeatIntervalSeconds: current, startAtLogin, keepRunning } = useApp((app) => app.settings);
  const isElectron = useApp((app) => app.app.runtime === 'electron');
  // The current interval is always an option, even if it was set outside this screen.
  const options = [...new Set([...intervalMinutes.map((minutes) => minutes * 60), current])].sort((a, b) => a - b);
  return (
    <Panel title={t('settings.heartbeats')}>
      <SettingSelect
        id="setting-interval"
        label={t('settings.interval')}
        hint={t('settings.intervalHint')}
        value={String(current)}
        onChange={(seconds) => change({ heartbeatIntervalSeconds: Number(seconds) })}
        options={options.map((seconds) => ({
          id: String(seconds),
          name: t('settings.minutes', { count: Math.round(seconds / 6) / 10 }),
        }))}
      />
      {isElectron && (
        <>
          <SettingSwitch
            id="setting-startAtLogin"
            label={t('settings.startAtLogin')}
            hint={t('settings.startAtLoginHint')}
            on={startAtLogin}
            onChange={(on) => change({ startAtLogin: on })}
          />
          <SettingSwitch
            id="setting-keepRunning"
            label={t('settings.keepRunning')}
            hint={t('settings.keepRunningHint')}
            on={keepRunning}
            onChange={(on) => change({ keepRunning: on })}
          />
        </>
      )}
    </Panel>
  );
}

/** Rendered only in Electron, which can show notifications. */
function NotificationPanel({ change }: SettingsPanelProps) {
  const { t } = useMessages();
  const on = useApp((app) => app.settings.notifications);
  const canNotify = useApp((app) => app.app.runtime === 'electron');
  if (!canNotify) return null;
  return (
    <Panel title={t('settings.notifications')}>
      <SettingSwitch
        id="setting-notifications"
        label={t('settings.notify')}
        hint={t('settings.notifyHint')}
        on={on}
        onChange={(notifications) => change({ notifications })}
      />
    </Panel>
  );
}

const storageKeys: Readonly<Record<SecretStorage, 'Keyring' | 'Ask' | 'File' | 'Memory'>> = {
  keyring: 'Keyring',
  ask: 'Ask',
  file: 'File',
  memory: 'Memory',
};

/**
 * A sign-in that is not kept, on a system without a keyring, can be from here on. The other way would lose the license
 * key at the next quit, which cannot be shown again.
 */
function SecretsPanel() {
  const { t } = useMessages();
  const storage = useApp((app) => app.secretStorage);
  const [open, setOpen] = useState(false);
  const isKept = storage === 'keyring' || storage === 'file';
  return (
    <Panel title={t('settings.secrets')}>
      <p>{t(`settings.secrets${storageKeys[storage]}`)}</p>
      {!isKept && (
        <div className="panel-actions">
          <ActionButton onPress={() => setOpen(true)}>{t('settings.secretsChange')}</ActionButton>
        </div>
      )}
      {open && <KeyringChoice onClose={() => setOpen(false)} />}
    </Panel>
  );
}

/** Says why the panels of the account are missing after a start without the server, if that is known to have them. */
function UnreachablePanel() {
  const { t } = useMessages();
  const isMissing = useApp(
    ({ server }) =>
      server.accountManagement === 'unknown' && server.offers !== null && server.reachability.kind === 'offline',
  );
  if (!isMissing) return null;
  return (
    <Panel title={t('security.title')}>
      <p className="hint">{t('security.unreachable')}</p>
      <div className="panel-actions">
        <DoctorButton />
      </div>
    </Panel>
  );
}

function AboutPanel() {
  const { t } = useMessages();
  const attempt = useAttempt();
  const action = useAction();
  const { version, platform, runtime, links } = useApp((app) => app.app);
  const pages = (['help', 'security'] as const).filter((name) => links.includes(name));
  const deviceId = useApp((app) => app.thisDevice?.deviceId ?? null);
  const installed = t('settings.version', { version, platform: platformName(platform) });
  const details = [
    `${t('name')}: ${installed}`,
    ...(deviceId === null ? [] : [`${t('settings.deviceId')}: ${deviceId}`]),
  ];
  return (
    <Panel title={t('settings.about')}>
      <Facts>
        <Fact name={t('name')} more={runtime === 'browser-host' && t('settings.runtimeHost')}>
          <span className="tabular">{installed}</span>
        </Fact>
        {deviceId !== null && (
          <Fact name={t('settings.deviceId')}>
            <span className="mono wrap-anywhere">{deviceId}</span>
          </Fact>
        )}
      </Facts>
      <div className="panel-actions">
        <CopyButton text={details.join('\n')} label={t('settings.copyDetails')} />
        {pages.map((name) => (
          <ActionButton key={name} onPress={() => attempt(() => bridge.openLink({ name }))}>
            {t(`settings.${name}`)}
          </ActionButton>
        ))}
        <WhatsNewButton />
        {runtime === 'electron' && (
          <ActionButton pending={action.pending} onPress={() => void action.run(() => bridge.openNotices())}>
            {t('settings.notices')}
          </ActionButton>
        )}
      </div>
      {action.failure !== null && <FailureAlert failure={action.failure} />}
    </Panel>
  );
}

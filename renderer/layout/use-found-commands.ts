/** Commands that the palette shows only once something is typed: settings and devices, found by name. */
import { Laptop, SlidersHorizontal } from 'lucide-react';
import { useEffect } from 'react';
import { bridge } from '../bridge.ts';
import type { PaletteCommand } from '../components/CommandPalette.tsx';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { askSetting, type SettingId, showDevice, useApp } from '../store.ts';

export function useFoundCommands(): readonly PaletteCommand[] {
  return [...useSettingCommands(), ...useDeviceCommands()];
}

/** Returns the settings available here, by their names on the screen; the themes already have commands of their own. */
function useSettingCommands(): readonly PaletteCommand[] {
  const { t } = useMessages();
  const isElectron = useApp((app) => app.app.runtime === 'electron');
  const hasSessions = useApp((app) => app.session.kind === 'signed-in' && app.server.accountManagement === 'available');
  const settings: readonly (readonly [SettingId, string])[] = [
    ...(hasSessions ? ([['sessions', t('security.sessions')]] as const) : []),
    ...(hasSessions ? ([['license', t('licenseKey.title')]] as const) : []),
    ['language', t('appearance.language')],
    ['interval', t('settings.interval')],
    ...(isElectron ? ([['startAtLogin', t('settings.startAtLogin')]] as const) : []),
    ...(isElectron ? ([['keepRunning', t('settings.keepRunning')]] as const) : []),
    ...(isElectron ? ([['notifications', t('settings.notify')]] as const) : []),
    ['server', t('settings.serverAddress')],
  ];
  return settings.map(([id, name]) => ({
    id: `setting-${id}`,
    label: t('settings.command', { name }),
    icon: SlidersHorizontal,
    isFoundOnly: true,
    run: () => askSetting(id),
  }));
}

/** Maximum number of devices that are searched. */
const maxDevices = 500;

/** Returns one command per device, which opens its details. */
function useDeviceCommands(): readonly PaletteCommand[] {
  const { t } = useMessages();
  const devices = useApp((app) => app.devices.value);
  const canList = useApp((app) => app.session.kind === 'signed-in' && app.server.deviceList !== 'missing');
  useEffect(() => {
    if (devices === null && canList) void runCommand(() => bridge.listDevices());
  }, [devices, canList]);
  return (devices ?? []).slice(0, maxDevices).map(({ activationId, name }) => ({
    id: `device-${activationId}`,
    label: t('deviceDetails.command', { name: name || t('devices.unnamed') }),
    icon: Laptop,
    isFoundOnly: true,
    run: () => showDevice(activationId),
  }));
}

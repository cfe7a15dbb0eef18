/** The account's devices, each with a button that releases it and one that opens its details. */
import { MonitorOff, MonitorSmartphone, RefreshCw } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Device } from '../../shared/ipc/app-state.ts';
import { bridge } from '../account-bridge.ts';
import { ActionButton, IconButton } from '../components/ActionButton.tsx';
import { ConfirmDialog } from '../components/Dialogs.tsx';
import { FailureAlert } from '../components/FailureAlert.tsx';
import { Panel } from '../components/Page.tsx';
import { EmptyState, Skeleton } from '../components/Placeholders.tsx';
import { SettingSwitch } from '../components/SettingControls.tsx';
import { TimedText } from '../components/Times.tsx';
import { showToast } from '../components/toast-store.ts';
import { activationCount } from '../i18n/account-messages.ts';
import { useMessages } from '../i18n/messages.ts';
import { runCommand } from '../run-command.ts';
import { accountOf, askSetting, isAccountPage, useApp } from '../store.ts';
import { useAction } from '../use-action.ts';
import { DeviceExcess } from './DeviceExcess.tsx';
import { focusSessions } from './focus-sessions.ts';
import { LicensePlaces } from './LicensePlaces.tsx';
import { SearchedDevices } from './SearchedDevices.tsx';

const reload = () => void runCommand(() => bridge.listDevices());

type Releasing = { readonly device: Device; readonly next: Device | null };

/** The account's devices, or a message if the server cannot list them. */
export function DeviceList() {
  const { t } = useMessages();
  const { value, loading, failure } = useApp((app) => app.devices);
  const missing = useApp((app) => app.server.deviceList === 'missing');
  useEffect(() => {
    if (!missing) reload();
  }, [missing]);
  // Decides whether a lost device can also be signed out.
  const areSessionsUnknown = useApp((app) => app.server.accountManagement === 'unknown');
  useEffect(() => {
    if (areSessionsUnknown) void runCommand(() => bridge.listSessions());
  }, [areSessionsUnknown]);
  const onPage = useApp(isAccountPage);
  const [releasing, setReleasing] = useState<Releasing | null>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const focusAfter = useFocusAfterRelease(heading, value);

  if (missing) {
    return <EmptyState icon={MonitorOff} title={t('devices.missing')} hint={t('devices.missingHint')} />;
  }
  return (
    <Panel
      title={t(onPage ? 'devices.title' : 'devices.yours')}
      headingRef={heading}
      aside={<IconButton icon={RefreshCw} label={t('devices.reload')} spinning={loading} onPress={reload} />}
    >
      <DeviceExcess />
      {failure !== null && (
        <FailureAlert failure={failure} actions={<ActionButton onPress={reload}>{t('common.retry')}</ActionButton>} />
      )}
      {value === null && failure !== null && <UnknownDevices />}
      {value === null && failure === null && <Skeleton lines={5} />}
      {value?.length === 0 && (
        <EmptyState
          icon={MonitorSmartphone}
          title={t('devices.empty')}
          hint={t(onPage ? 'accountPage.noDevicesHint' : 'devices.emptyHint')}
        />
      )}
      {value !== null && value.length > 0 && (
        <SearchedDevices
          devices={value}
          onRelease={(device, next) => setReleasing({ device, next })}
          // Runs after the confirmation dialog has returned the focus: the button that opened it disappears.
          onUnseenReleased={() => requestAnimationFrame(() => heading.current?.focus())}
        />
      )}
      <LicensePlaces />
      {releasing !== null && (
        <ReleaseDialog
          device={releasing.device}
          onReleased={({ activationId }) => focusAfter({ activationId, nextId: releasing.next?.activationId ?? null })}
          onClose={() => setReleasing(null)}
        />
      )}
    </Panel>
  );
}

/** What is known without the list, such as after a start without a connection. */
function UnknownDevices() {
  const { t } = useMessages();
  const account = useApp(accountOf);
  const count = activationCount(account?.license ?? null);
  return (
    <p className="hint">
      {t('devices.notKept')}
      {account !== null && count !== null && (
        <>
          {' '}
          <TimedText text={t('devices.lastKnown', count)} at={account.checkedAt} />
        </>
      )}
    </p>
  );
}

type ReleaseDialogProps = {
  readonly device: Device;
  readonly onReleased: (device: Device) => void;
  readonly onClose: () => void;
};

function ReleaseDialog({ device, onReleased, onClose }: ReleaseDialogProps) {
  const { t } = useMessages();
  const action = useAction();
  const onPage = useApp(isAccountPage);
  const hasSessions = useApp((app) => app.server.accountManagement === 'available');
  const [lost, setLost] = useState(false);
  const name = device.name || t('devices.unnamed');
  const release = async () => {
    const result = await action.run(() => bridge.releaseDevice({ activationId: device.activationId }));
    if (result === null) return;
    showToast(t('devices.released', { name }));
    onClose();
    if (!lost) return onReleased(device);
    if (!onPage) return askSetting('sessions');
    // Runs after the confirmation dialog has returned the focus.
    requestAnimationFrame(focusSessions);
  };
  return (
    <ConfirmDialog
      title={t('devices.releaseTitle', { name })}
      text={device.isThisDevice ? t('devices.releaseOwnText') : t('devices.releaseText')}
      confirmLabel={t('devices.release')}
      danger
      pending={action.pending}
      failure={action.failure}
      onConfirm={() => void release()}
      onClose={onClose}
    >
      {hasSessions && !device.isThisDevice && (
        <SettingSwitch label={t('devices.lost')} hint={t('devices.lostHint')} on={lost} onChange={setLost} />
      )}
    </ConfirmDialog>
  );
}

type Released = { readonly activationId: string; readonly nextId: string | null };

/**
 * Once a released device has left the list, moves the focus to the button of the next row, or otherwise to the heading.
 * Call the returned function with the released device and the next one.
 */
function useFocusAfterRelease(
  heading: RefObject<HTMLElement | null>,
  devices: readonly Device[] | null,
): (released: Released) => void {
  const [released, setReleased] = useState<Released | null>(null);
  const gone = released !== null && !devices?.some(({ activationId }) => activationId === released.activationId);
  useEffect(() => {
    if (!gone) return;
    // Runs after the confirmation dialog has returned the focus.
    const frame = requestAnimationFrame(() => {
      const row = released.nextId === null ? null : `[data-activation="${CSS.escape(released.nextId)}"] button`;
      const button = row === null ? null : document.querySelector<HTMLElement>(row);
      (button ?? heading.current)?.focus();
      setReleased(null);
    });
    return () => cancelAnimationFrame(frame);
  }, [gone, released, heading]);
  return setReleased;
}

/** A dialog with everything known about a device and the license that it is activated with. */
import { type ReactNode, useEffect } from 'react';
import type { Device, LicenseSummary } from '../../shared/ipc/app-state.ts';
import { CopyButton } from '../components/CopyButton.tsx';
import { WideDialog } from '../components/Dialogs.tsx';
import { Fact, Facts } from '../components/Facts.tsx';
import { RelativeTime } from '../components/Times.tsx';
import { activationCount, licenseStatus } from '../i18n/account-messages.ts';
import { fullTime, planName, platformName } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { offlineUntil } from '../offline-until.ts';
import { lastHeartbeatOf, showDevice, useApp, useStore } from '../store.ts';
import { DeviceBadge } from './DeviceRow.tsx';
import { ServerTime } from './ServerTime.tsx';

/** Closes by itself if the device is released in the meantime. */
export function DeviceDetails() {
  const shown = useStore((store) => store.shownDevice);
  const device = useApp((app) => app.devices.value?.find(({ activationId }) => activationId === shown) ?? null);
  const isGone = shown !== null && device === null;
  useEffect(() => {
    if (isGone) showDevice(null);
  }, [isGone]);
  return device === null ? null : <DeviceDialog device={device} />;
}

function DeviceDialog({ device }: { readonly device: Device }) {
  const { t } = useMessages();
  return (
    <WideDialog title={device.name || t('devices.unnamed')} onClose={() => showDevice(null)}>
      <section className="stack" aria-label={t('deviceDetails.device')}>
        <DeviceFacts device={device} />
        <div className="device-copy">
          <CopyButton text={device.deviceId} label={t('deviceDetails.copyId')} />
        </div>
      </section>
      <section className="device-license" aria-label={t('account.license')}>
        <h3>{t('account.license')}</h3>
        <LicenseFacts keyPreview={device.keyPreview} />
      </section>
    </WideDialog>
  );
}

function DeviceFacts({ device }: { readonly device: Device }) {
  const { t } = useMessages();
  const { deviceId, platform, activatedAt, lastSeenAt, isThisDevice } = device;
  return (
    <Facts>
      <Fact name={t('settings.deviceId')}>
        <span className="mono" title={deviceId}>
          {shortDeviceId(deviceId)}
        </span>
      </Fact>
      {platform !== '' && <Fact name={t('deviceDetails.platform')}>{platformName(platform)}</Fact>}
      {isThisDevice && <OwnVersion />}
      <TimeFact name={t('overview.activated')} at={activatedAt} relative={<ServerTime at={activatedAt} />} />
      <TimeFact name={t('deviceDetails.lastSeen')} at={lastSeenAt} relative={<ServerTime at={lastSeenAt} />}>
        <DeviceBadge device={device} />
      </TimeFact>
      {isThisDevice && <OwnTimes />}
    </Facts>
  );
}

/** Shown for this device only; the version of others is unknown. */
function OwnVersion() {
  const { t } = useMessages();
  const version = useApp((app) => app.app.version);
  return (
    <Fact name={t('deviceDetails.version')}>
      <span className="tabular">{version}</span>
    </Fact>
  );
}

/** The last heartbeat of this device, and until when it works offline. */
function OwnTimes() {
  const { t, locale } = useMessages();
  const lastAt = useApp(lastHeartbeatOf);
  const until = useApp(offlineUntil);
  return (
    <>
      {lastAt === null ? (
        <Fact name={t('deviceDetails.lastHeartbeat')}>{t('overview.noHeartbeat')}</Fact>
      ) : (
        <TimeFact name={t('deviceDetails.lastHeartbeat')} at={lastAt} relative={<RelativeTime at={lastAt} />} />
      )}
      {until !== null && (
        <Fact name={t('overview.offline')} more={<ServerTime at={until} isNext />}>
          <span className="tabular">{t('overview.offlineUntil', { until: fullTime(until, locale) })}</span>
        </Fact>
      )}
    </>
  );
}

type TimeFactProps = {
  readonly name: string;
  readonly at: string;
  /** How long ago it was. */
  readonly relative: ReactNode;
  readonly children?: ReactNode;
};

function TimeFact({ name, at, relative, children }: TimeFactProps) {
  const { locale } = useMessages();
  return (
    <Fact
      name={name}
      more={
        <>
          {relative} {children}
        </>
      }
    >
      <span className="tabular">{fullTime(at, locale)}</span>
    </Fact>
  );
}

/** Shows only the key's preview if the license is neither this device's nor the account's own. */
function LicenseFacts({ keyPreview }: { readonly keyPreview: string }) {
  const { t } = useMessages();
  const license = useLicense(keyPreview);
  const count = activationCount(license);
  return (
    <>
      <Facts>
        <Fact name={t('licenseKey.key')}>
          <span className="mono">{keyPreview}</span>
        </Fact>
        {license !== null && (
          <>
            <Fact name={t('overview.plan')}>{planName(license.plan, t)}</Fact>
            <Fact name={t('deviceDetails.status')}>{licenseStatus(license.status, t)}</Fact>
          </>
        )}
        {count !== null && (
          <Fact name={t('overview.activations')}>
            <span className="tabular">{t('overview.activationsUsed', count)}</span>
          </Fact>
        )}
      </Facts>
      {license === null && <p className="hint">{t('deviceDetails.otherLicense')}</p>}
    </>
  );
}

/** Returns the license with that key as the server last reported it; `null` if it is unknown. */
function useLicense(keyPreview: string): LicenseSummary | null {
  const own = useApp((app) => app.thisDevice?.license ?? null);
  const account = useApp((app) => (app.session.kind === 'signed-in' ? (app.session.account?.license ?? null) : null));
  return [own, account].find((license) => license?.keyPreview === keyPreview) ?? null;
}

/** Returns the first two and the last group of the id; an id in another format is returned unchanged. */
export function shortDeviceId(deviceId: string): string {
  const groups = deviceId.split('-');
  return groups.length < 4 ? deviceId : `${groups[0]}-${groups[1]}…${groups.at(-1)}`;
}

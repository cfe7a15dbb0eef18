/** An activated device: its identity, owner and last use, and Release. */
import { CircleHelp } from 'lucide-react';
import { useState } from 'react';
import type { LicensedDevice } from '../../../../shared/api/admin/devices.ts';
import type { LicenseRecord } from '../../../../shared/api/admin/licenses.ts';
import { ActionButton } from '../../../components/ActionButton.tsx';
import { Fact, Facts } from '../../../components/Facts.tsx';
import { EmptyState } from '../../../components/Placeholders.tsx';
import { RelativeTime, TimedText } from '../../../components/Times.tsx';
import { platformName } from '../../../i18n/format.ts';
import { useRead } from '../../api/queries.ts';
import { useMessages } from '../../i18n/messages.ts';
import { Day } from '../../records/Day.tsx';
import { RecordActions, RecordHeading, RecordSection } from '../../records/RecordSection.tsx';
import { ReleaseDialog } from '../../records/ReleaseDialog.tsx';
import { DeviceActivity, SeveralInstallations } from '../../records/StatusBadge.tsx';
import { changeParams, hrefOf } from '../../routing.ts';
import { useMay } from '../../session/session-store.ts';
import { RecordContent } from '../../table/RecordPanel.tsx';

/** `id` consists of the license id and the activation id, separated by a dot. */
export function DeviceRecord({ id }: { readonly id: string }) {
  const { t } = useMessages();
  const [licenseId = '', activationId] = id.split('.');
  return (
    <RecordContent result={useRead('license', { params: { id: licenseId } })}>
      {(license) => {
        const device = license.devices.find(({ activation_id }) => activation_id === activationId);
        if (device !== undefined) return <OpenDevice license={license} device={device} />;
        return <EmptyState icon={CircleHelp} title={t('devices.gone')} hint={t('devices.goneHint')} />;
      }}
    </RecordContent>
  );
}

type OpenDeviceProps = { readonly license: LicenseRecord; readonly device: LicensedDevice };

function OpenDevice({ license, device }: OpenDeviceProps) {
  const { t } = useMessages();
  const mayRelease = useMay('releaseLicenseDevice');
  const [releasing, setReleasing] = useState(false);
  return (
    <>
      <RecordHeading title={device.device_name || t('devices.unnamed')}>
        <DeviceActivity activity={device.activity} /> <SeveralInstallations device={device} />
      </RecordHeading>
      {device.several_installations_at !== undefined && (
        <p className="hint">
          <TimedText text={t('devices.severalInstallationsHint')} at={device.several_installations_at} />
        </p>
      )}
      <RecordActions>
        {mayRelease && <ActionButton onPress={() => setReleasing(true)}>{t('devices.release')}</ActionButton>}
      </RecordActions>
      <RecordSection title={t('list.details')}>
        <DeviceFacts license={license} device={device} />
      </RecordSection>
      {releasing && (
        <ReleaseDialog
          licenseId={license.id}
          device={device}
          owner={license.email}
          onReleased={() => changeParams({ open: '' }, { replace: true })}
          onClose={() => setReleasing(false)}
        />
      )}
    </>
  );
}

function DeviceFacts({ license, device }: OpenDeviceProps) {
  const { t } = useMessages();
  return (
    <Facts>
      {license.user_id !== null && (
        <Fact name={t('field.owner')}>
          <a className="link" href={hrefOf('accounts', { open: license.user_id })}>
            {license.email}
          </a>
        </Fact>
      )}
      <Fact name={t('navigation.license')}>
        <a className="link mono" href={hrefOf('licenses', { open: license.id })}>
          {license.key_preview}
        </a>
      </Fact>
      {device.platform !== '' && <Fact name={t('field.platform')}>{platformName(device.platform)}</Fact>}
      <Fact name={t('field.lastSeen')}>
        <RelativeTime at={device.last_seen_at} />
      </Fact>
      <Fact name={t('field.activated')}>
        <Day at={device.activated_at} />
      </Fact>
      <Fact name={t('field.deviceId')}>
        <span className="mono">{device.device_id}</span>
      </Fact>
    </Facts>
  );
}

/** A list of devices that can be searched, sorted, and reduced to those that were not seen lately. */
import { useRef, useState } from 'react';
import type { Device } from '../../shared/ipc/app-state.ts';
import { ActionButton } from '../components/ActionButton.tsx';
import { FindField } from '../components/FindField.tsx';
import { SettingSelect } from '../components/SettingControls.tsx';
import { type DeviceSearch, deviceOrders, deviceViews, findDevices } from '../find-devices.ts';
import { useMessages } from '../i18n/messages.ts';
import { showDevice } from '../store.ts';
import { DeviceItems } from './DeviceItems.tsx';
import { DeviceRow } from './DeviceRow.tsx';
import { ReleaseUnseen } from './ReleaseUnseen.tsx';

/** Minimum number of devices for which the list can be searched. */
const searchableCount = 9;

const everything: DeviceSearch = { query: '', view: 'all', order: 'lastSeen' };

type Props = {
  readonly devices: readonly Device[];
  /** Also receives the next device in the list. */
  readonly onRelease: (device: Device, next: Device | null) => void;
  /** Called after all devices that were not seen lately have been released. */
  readonly onUnseenReleased: () => void;
};

export function SearchedDevices({ devices, onRelease, onUnseenReleased }: Props) {
  const { t, locale } = useMessages();
  const [chosen, setSearch] = useState(everything);
  const controls = useRef<HTMLDivElement>(null);
  const isSearchable = devices.length >= searchableCount;
  const search = isSearchable ? chosen : everything;
  const found = findDevices(devices, search, locale);
  const withLicense = new Set(devices.map(({ keyPreview }) => keyPreview)).size > 1;
  const isReduced = search.query.trim() !== '' || search.view !== 'all';
  const unseen = search.view === 'all' ? [] : found.filter(({ isThisDevice }) => !isThisDevice);
  const showAll = () => {
    setSearch({ ...search, query: '', view: 'all' });
    // The button that has the focus disappears.
    controls.current?.querySelector('input')?.focus();
  };
  return (
    <>
      <p className="panel-intro tabular">{t('devices.listIntro', { count: devices.length })}</p>
      {isSearchable && (
        <div ref={controls} className="activity-search device-search">
          <FindField
            label={t('devices.find')}
            value={search.query}
            onChange={(query) => setSearch({ ...search, query })}
          />
          <SettingSelect
            label={t('devices.show')}
            value={search.view}
            onChange={(view) => setSearch({ ...search, view })}
            options={deviceViews.map((id) => ({ id, name: t(`devices.view.${id}`) }))}
          />
          <SettingSelect
            label={t('devices.sort')}
            value={search.order}
            onChange={(order) => setSearch({ ...search, order })}
            options={deviceOrders.map((id) => ({ id, name: t(`devices.order.${id}`) }))}
          />
        </div>
      )}
      {isSearchable && (
        <p className="visually-hidden" role="status">
          {isReduced && t('devices.found', { count: found.length })}
        </p>
      )}
      <ReleaseUnseen devices={unseen} onReleased={onUnseenReleased} />
      <DeviceItems devices={found}>
        {(device, index) => (
          <DeviceRow
            key={device.activationId}
            device={device}
            actionLabel={t('devices.release')}
            pending={false}
            withLicense={withLicense}
            onAction={() => onRelease(device, found[index + 1] ?? null)}
            onDetails={() => showDevice(device.activationId)}
          />
        )}
      </DeviceItems>
      {found.length === 0 && (
        <div className="panel-actions">
          <p className="hint">{t('devices.noneFound')}</p>
          <ActionButton onPress={showAll}>{t('devices.showAll')}</ActionButton>
        </div>
      )}
    </>
  );
}

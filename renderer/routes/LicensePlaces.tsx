/**
 * Limits on the next activation besides active devices: released devices that keep their place, and the number of new
 * devices left.
 */
import { Laptop } from 'lucide-react';
import type { NewDevices, ReleasedDevice } from '../../shared/ipc/app-state.ts';
import { fullDay, fullMinute, platformName } from '../i18n/format.ts';
import { useMessages } from '../i18n/messages.ts';
import { useApp } from '../store.ts';

export function LicensePlaces() {
  const { t } = useMessages();
  const { released, newDevices } = useApp((app) => app.places);
  return (
    <>
      {newDevices.map((each) => (
        <NewDevicesHint key={each.keyPreview} newDevices={each} />
      ))}
      {released.length > 0 && (
        <ul className="devices" aria-label={t('devices.releasedList')}>
          {released.map((device) => (
            <ReleasedRow key={device.activationId} device={device} />
          ))}
        </ul>
      )}
    </>
  );
}

/** Shows the date in UTC. */
function NewDevicesHint({ newDevices: { remaining: count, until } }: { readonly newDevices: NewDevices }) {
  const { t, locale } = useMessages();
  const date = fullDay(until, locale, 'UTC');
  return (
    <p className="hint">
      {count === 0 ? t('devices.newDevicesNone', { date }) : t('devices.newDevices', { count, date })}
    </p>
  );
}

function ReleasedRow({ device: { name, platform, placeFreeAt } }: { readonly device: ReleasedDevice }) {
  const { t, locale } = useMessages();
  return (
    <li className="device">
      <Laptop className="icon device-icon" aria-hidden />
      <div>
        <p className="device-name wrap-anywhere">{name || t('devices.unnamed')}</p>{' '}
        <p className="hint">
          {platform !== '' && <span>{platformName(platform)} · </span>}
          <span>{t('devices.placeFree', { date: fullMinute(placeFreeAt, locale) })}</span>
        </p>
      </div>
    </li>
  );
}

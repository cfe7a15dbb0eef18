/** The places and the account; folds to icons, and to a bar at the foot. */
import { Search } from 'lucide-react';
import { Button } from 'react-aria-components';
import { Brand } from '../components/Brand.tsx';
import { type Slots, slotsOf } from '../i18n/slots.ts';
import { useSentences } from '../i18n/use-sentences.ts';
import { addressOf, type Place, placeIcons, places } from '../routing.ts';
import { showPalette, useApp, useStore } from '../store.ts';
import { AccountMenu } from './AccountMenu.tsx';

export function Sidebar() {
  const { t } = useSentences();
  return (
    <div className="sidebar">
      <Brand />
      <Button className="sidebar-search" onPress={() => showPalette(true)}>
        <Search className="icon" aria-hidden />
        <span className="sidebar-label">{t('palette.open')}</span>
        <span className="keys" data-keys={isMac ? '⌘K' : 'Ctrl K'} aria-hidden />
      </Button>
      <nav aria-label={t('navigation.label')}>
        <ul>
          {places.map((place) => (
            <PlaceLink key={place} place={place} />
          ))}
        </ul>
      </nav>
      <AccountMenu />
    </div>
  );
}

const isMac = navigator.platform.startsWith('Mac');

function PlaceLink({ place }: { readonly place: Place }) {
  const { t } = useSentences();
  const current = useStore((store) => store.place === place);
  const Icon = placeIcons[place];
  const slots = useSlots(place);
  const label = t(`navigation.${place}`);
  return (
    <li>
      <a
        className="place"
        href={addressOf(place)}
        aria-current={current ? 'page' : undefined}
        aria-description={slots === null ? undefined : t('navigation.deviceCount', slots)}
        title={label}
      >
        <Icon className="icon" aria-hidden />
        <span className="sidebar-label">{label}</span>
      </a>
      {slots !== null && (
        <span className="place-count tabular" aria-hidden>
          {slots.used}/{slots.max}
        </span>
      )}
    </li>
  );
}

/** The slots in use of the license that counts here: this device's own, else the account's. */
function useSlots(place: Place): Slots | null {
  const own = useApp((app) => app.thisDevice?.license ?? null);
  const account = useApp((app) => (app.session.kind === 'signed-in' ? (app.session.account?.license ?? null) : null));
  return place === 'devices' ? (slotsOf(own) ?? slotsOf(account)) : null;
}

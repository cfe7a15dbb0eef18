/** The places of the window: their order, their icons and their addresses. */
import {
  Activity,
  Fingerprint,
  Gauge,
  KeyRound,
  type LucideIcon,
  MonitorSmartphone,
  Settings,
  Sparkles,
} from 'lucide-react';

export const places = ['overview', 'features', 'devices', 'apiKey', 'installer', 'activity', 'settings'] as const;
export type Place = (typeof places)[number];

export const placeIcons: Readonly<Record<Place, LucideIcon>> = {
  overview: Gauge,
  features: Sparkles,
  devices: MonitorSmartphone,
  apiKey: KeyRound,
  installer: Fingerprint,
  activity: Activity,
  settings: Settings,
};

const addresses: Readonly<Record<Place, string>> = {
  overview: '#overview',
  features: '#features',
  devices: '#devices',
  apiKey: '#api-key',
  installer: '#installer',
  activity: '#activity',
  settings: '#settings',
};

/** The address of a place inside the window. */
export function addressOf(place: Place): string {
  return addresses[place];
}

/** The place that a hash names; anything else is the overview. */
export function placeOfHash(hash: string): Place {
  return places.find((place) => addresses[place] === hash) ?? 'overview';
}

/** Goes to a place, as its link does. */
export function goTo(place: Place): void {
  window.location.hash = addresses[place];
}

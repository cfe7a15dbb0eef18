/**
 * The screens of the admin page and their URL hashes, such as `#/licenses?status=active&open=ID`. Hashes are never sent
 * to a server.
 */
import {
  Activity,
  Fingerprint,
  Gauge,
  KeyRound,
  Layers,
  type LucideIcon,
  MonitorSmartphone,
  ScrollText,
  Server,
  ToggleRight,
  UserRound,
  Webhook,
} from 'lucide-react';
import { useMemo, useSyncExternalStore } from 'react';

/** Screens in the sidebar, in its order. */
export const places = [
  'overview',
  'accounts',
  'licenses',
  'devices',
  'apiKeys',
  'plans',
  'features',
  'installers',
  'audit',
  'webhooks',
  'server',
] as const;
type Place = (typeof places)[number];

/** `profile` and `staff` are reached from the account menu, `billingEvents` from the webhooks. */
export type Screen = Place | 'profile' | 'staff' | 'billingEvents';

export const placeIcons: Readonly<Record<Place, LucideIcon>> = {
  overview: Gauge,
  accounts: UserRound,
  licenses: ScrollText,
  devices: MonitorSmartphone,
  apiKeys: KeyRound,
  plans: Layers,
  features: ToggleRight,
  installers: Fingerprint,
  audit: Activity,
  webhooks: Webhook,
  server: Server,
};

const paths: Readonly<Record<Screen, string>> = {
  overview: 'overview',
  accounts: 'accounts',
  licenses: 'licenses',
  devices: 'devices',
  apiKeys: 'api-keys',
  plans: 'plans',
  features: 'features',
  installers: 'installers',
  audit: 'audit',
  webhooks: 'webhooks',
  billingEvents: 'webhooks/billing-events',
  server: 'server',
  profile: 'profile',
  staff: 'staff',
};

export type Params = Readonly<Record<string, string | undefined>>;

type Address = { readonly screen: Screen; readonly params: URLSearchParams };

/** Parses a hash; one that names no screen is the overview. */
export function readAddress(hash: string): Address {
  const [, path = '', query = ''] = /^#\/?([^?]*)(?:\?(.*))?$/.exec(hash) ?? [];
  const screen = (Object.keys(paths) as Screen[]).find((name) => paths[name] === path);
  return { screen: screen ?? 'overview', params: new URLSearchParams(query) };
}

/** Returns the `href` of a link to the screen. */
export function hrefOf(screen: Screen, params: Params = {}): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => !!entry[1]);
  const query = new URLSearchParams(given).toString();
  return `#/${paths[screen]}${query === '' ? '' : `?${query}`}`;
}

/** Returns the current address and rerenders when it changes. */
export function useAddress(): Address {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => readAddress(hash), [hash]);
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('hashchange', onChange);
  return () => window.removeEventListener('hashchange', onChange);
}

/** Navigates like a link. */
export function goTo(screen: Screen, params: Params = {}): void {
  window.location.hash = hrefOf(screen, params);
}

/** Changes some parameters of the address; empty ones are removed. With `replace`, Back skips the old ones. */
export function changeParams(changes: Params, { replace = false } = {}): void {
  const { screen, params } = readAddress(window.location.hash);
  const hash = hrefOf(screen, { ...Object.fromEntries(params), ...changes });
  if (!replace) {
    window.location.hash = hash;
    return;
  }
  window.history.replaceState(null, '', hash);
  window.dispatchEvent(new Event('hashchange'));
}

/** The window's routes: their order in the sidebar, their icons, and their URL hashes. */
import {
  Activity,
  Fingerprint,
  Gauge,
  KeyRound,
  type LucideIcon,
  MonitorSmartphone,
  Settings,
  Sparkles,
  Stethoscope,
} from 'lucide-react';

export const routes = [
  'overview',
  'features',
  'devices',
  'apiKey',
  'installer',
  'activity',
  'diagnostics',
  'settings',
] as const;
export type Route = (typeof routes)[number];

export const routeIcons: Readonly<Record<Route, LucideIcon>> = {
  overview: Gauge,
  features: Sparkles,
  devices: MonitorSmartphone,
  apiKey: KeyRound,
  installer: Fingerprint,
  activity: Activity,
  diagnostics: Stethoscope,
  settings: Settings,
};

const hashes: Readonly<Record<Route, string>> = {
  overview: '#overview',
  features: '#features',
  devices: '#devices',
  apiKey: '#api-key',
  installer: '#installer',
  activity: '#activity',
  diagnostics: '#diagnostics',
  settings: '#settings',
};

/** Returns the `href` of a link to the route. */
export function hrefOf(route: Route): string {
  return hashes[route];
}

/** Returns the route of a hash; the overview for an unknown one. */
export function routeFromHash(hash: string): Route {
  return routes.find((route) => hashes[route] === hash) ?? 'overview';
}

/** Navigates like the route's link. */
export function goTo(route: Route): void {
  window.location.hash = hashes[route];
}

/** Features and plans that a new server starts with. Clients use them if a server does not send its own. */
import type { Features } from './api/features.ts';
import { isOn } from './formats/feature-fields.ts';

/** The names of the features of the interface, in the order in which they are shown. */
export const builtInFeatures: readonly string[] = [
  'real_time_visualization',
  'osc_lsl_streaming',
  'session_recording',
  'csv_export',
  'api_access',
  'signal_filtering',
  'custom_preprocessing',
  'mental_state_detection',
];

/** All features of the interface off and no device: applies until a server has sent something else. */
export const noFeatures = planWith([], 0);

const standard = [
  'real_time_visualization',
  'osc_lsl_streaming',
  'session_recording',
  'csv_export',
  'api_access',
  'signal_filtering',
];

/** The plans, smallest first. */
export const seededPlans = {
  free: planWith(['real_time_visualization'], 1),
  standard: planWith(standard, 3),
  advanced: planWith([...standard, 'custom_preprocessing', 'mental_state_detection'], 10),
} as const satisfies Record<string, Features>;

/** Returns the smallest of these plans with the feature; `undefined` for a server's custom feature. */
export function smallestPlanWith(feature: string): keyof typeof seededPlans | undefined {
  const names = Object.keys(seededPlans) as (keyof typeof seededPlans)[];
  return names.find((name) => isOn(seededPlans[name], feature));
}

function planWith(on: readonly string[], max_devices: number): Features {
  const switches = builtInFeatures.map((name) => [name, on.includes(name)]);
  return { ...Object.fromEntries(switches), max_devices };
}

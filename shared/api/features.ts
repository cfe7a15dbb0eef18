/** The features of a plan, and the plans that a new server starts with. */
import { z } from 'zod';

/** The boolean features, in the order in which the window shows them. */
export const featureFlags = [
  'real_time_visualization',
  'osc_lsl_streaming',
  'session_recording',
  'csv_export',
  'api_access',
  'signal_filtering',
  'custom_preprocessing',
  'mental_state_detection',
] as const;

export type FeatureFlag = (typeof featureFlags)[number];

/** The complete features of a plan. */
export const features = z.object({
  real_time_visualization: z.boolean(),
  osc_lsl_streaming: z.boolean(),
  session_recording: z.boolean(),
  csv_export: z.boolean(),
  api_access: z.boolean(),
  signal_filtering: z.boolean(),
  custom_preprocessing: z.boolean(),
  mental_state_detection: z.boolean(),
  max_devices: z.int().nonnegative(),
});
export type Features = z.infer<typeof features>;

/** All features off and no device: applies until a server has sent something else. */
export const noFeatures: Features = {
  real_time_visualization: false,
  osc_lsl_streaming: false,
  session_recording: false,
  csv_export: false,
  api_access: false,
  signal_filtering: false,
  custom_preprocessing: false,
  mental_state_detection: false,
  max_devices: 0,
};

const standard: Features = {
  ...noFeatures,
  real_time_visualization: true,
  osc_lsl_streaming: true,
  session_recording: true,
  csv_export: true,
  api_access: true,
  signal_filtering: true,
  max_devices: 3,
};

/**
 * The plans that a new server starts with, smallest first.
 * A client uses them only to name a plan that includes a feature.
 */
export const seededPlans = {
  free: { ...noFeatures, real_time_visualization: true, max_devices: 1 },
  standard,
  advanced: {
    ...standard,
    custom_preprocessing: true,
    mental_state_detection: true,
    max_devices: 10,
  },
} as const satisfies Record<string, Features>;

/** The smallest of these plans that includes the feature. `advanced` includes all. */
export function smallestPlanWith(flag: FeatureFlag): keyof typeof seededPlans {
  const names = Object.keys(seededPlans) as (keyof typeof seededPlans)[];
  return names.find((name) => seededPlans[name][flag]) ?? 'advanced';
}

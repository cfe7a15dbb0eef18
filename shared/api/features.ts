/** Features that a plan switches on or off, by name. The interface has eight; an operator may add more. */
import { z } from 'zod';
import { isFeatureName } from '../formats/feature-fields.ts';

/** Name of a feature. */
export const featureName = z
  .string()
  .refine(
    isFeatureName,
    'must be 1 to 50 lower-case letters, digits and underscores, the first one a letter, and not max_devices',
  );

/** Features of the interface, and the number of devices. */
const interfaceFeatures = z.object({
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

/** A custom feature. A value that is not a boolean means off, so clients tolerate servers that send more. */
const ownFeature = z.boolean().catch(false);

/** TypeScript cannot express that every name except `max_devices` has a boolean. */
type WithOwn<Known> = Known & { readonly [name: string]: boolean | number };

function withOwn<Known extends z.ZodObject>(known: Known): z.ZodType<WithOwn<z.infer<Known>>> {
  return z.preprocess(keepFeatures, known.catchall(ownFeature)) as unknown as z.ZodType<WithOwn<z.infer<Known>>>;
}

/** More custom features than our own server can have. */
export const maxOwnFeatures = 500;

/** Drops invalid feature names, and custom features beyond `maxOwnFeatures`. */
function keepFeatures(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  let own = 0;
  const isKept = (name: string) =>
    Object.hasOwn(interfaceFeatures.shape, name) || (isFeatureName(name) && own++ < maxOwnFeatures);
  return Object.fromEntries(Object.entries(value).filter(([name]) => isKept(name)));
}

/** All features of a plan: built-in, custom, and the number of devices. */
export type Features = WithOwn<z.infer<typeof interfaceFeatures>>;
export const features: z.ZodType<Features> = withOwn(interfaceFeatures);

/** Features in the `/license/validate` response: fewer built-in ones, and all custom ones. */
const licenseShape = interfaceFeatures.pick({
  real_time_visualization: true,
  osc_lsl_streaming: true,
  csv_export: true,
  api_access: true,
  max_devices: true,
});
export const licenseFeatures = withOwn(licenseShape);
export type LicenseFeatures = z.infer<typeof licenseFeatures>;

/** Built-in features missing from `/license/validate`. */
export const statusOnlyFeatures: ReadonlySet<string> = new Set(
  Object.keys(interfaceFeatures.shape).filter((name) => !(name in licenseShape.shape)),
);

/** Features in responses of the API key endpoints. */
export const apiKeyFeatures = interfaceFeatures.pick({ api_access: true });
export const validKeyFeatures = interfaceFeatures.pick({ api_access: true, csv_export: true });

/** Switches by feature name, as in a change of a plan. */
export const featureSwitches = z.record(featureName, z.boolean());

/** A feature's texts in the user's language. */
export const featureText = z.object({
  name: featureName,
  title: z.string(),
  /** A one-sentence description. */
  does: z.string(),
  /** True if no window or page shows it; responses include it. */
  hidden: z.boolean(),
  /** Whether it belongs to the interface. */
  built_in: z.boolean(),
});
export type FeatureText = z.infer<typeof featureText>;

/** The server's features, in display order. */
export const featuresResponse = z.object({ features: z.array(featureText) });

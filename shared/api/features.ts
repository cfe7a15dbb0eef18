/** Features: what a plan switches on or off, by names. The interface has eight; an operator may add others. */
import { z } from 'zod';
import { isFeatureName } from '../formats/feature-fields.ts';

/** The name of a feature. */
export const featureName = z
  .string()
  .refine(
    isFeatureName,
    'must be 1 to 50 lower-case letters, digits and underscores, the first one a letter, and not max_devices',
  );

/** The features of the interface, and the number of devices. */
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

/** A feature of the server's own. What is no boolean is off, so that a client understands a server that says more. */
const ownFeature = z.boolean().catch(false);

/** What TypeScript cannot say: every name except `max_devices` has a boolean. */
type WithOwn<Known> = Known & { readonly [name: string]: boolean | number };

function withOwn<Known extends z.ZodObject>(known: Known): z.ZodType<WithOwn<z.infer<Known>>> {
  return z.preprocess(keepFeatures, known.catchall(ownFeature)) as unknown as z.ZodType<WithOwn<z.infer<Known>>>;
}

/** More than any server of ours can have. */
export const maxOwnFeatures = 500;

/** Without what is called as no feature is, and without what is more than a client takes. */
function keepFeatures(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  let own = 0;
  const isKept = (name: string) =>
    Object.hasOwn(interfaceFeatures.shape, name) || (isFeatureName(name) && own++ < maxOwnFeatures);
  return Object.fromEntries(Object.entries(value).filter(([name]) => isKept(name)));
}

/** The complete features of a plan: those of the interface, those of the server's own, and the number of devices. */
export const features = withOwn(interfaceFeatures);
export type Features = z.infer<typeof features>;

/** The features in the response of `/license/validate`: fewer of the interface, and all of the server's own. */
const licenseShape = interfaceFeatures.pick({
  real_time_visualization: true,
  osc_lsl_streaming: true,
  csv_export: true,
  api_access: true,
  max_devices: true,
});
export const licenseFeatures = withOwn(licenseShape);
export type LicenseFeatures = z.infer<typeof licenseFeatures>;

/** Features of the interface that `/license/validate` does not tell. */
export const statusOnlyFeatures: ReadonlySet<string> = new Set(
  Object.keys(interfaceFeatures.shape).filter((name) => !(name in licenseShape.shape)),
);

/** The features in the responses of the API key endpoints. */
export const apiKeyFeatures = interfaceFeatures.pick({ api_access: true });
export const validKeyFeatures = interfaceFeatures.pick({ api_access: true, csv_export: true });

/** Switches by names of features, as in a change of a plan. */
export const featureSwitches = z.record(featureName, z.boolean());

/** A feature as people see it, in their language. */
export const featureText = z.object({
  name: featureName,
  title: z.string(),
  /** What it does, in a sentence. */
  does: z.string(),
  /** Whether no window and no page shows it. Responses have it. */
  hidden: z.boolean(),
  /** Whether it is one of the interface's. */
  built_in: z.boolean(),
});
export type FeatureText = z.infer<typeof featureText>;

/** The features of the server, in the order in which they are shown. */
export const featuresResponse = z.object({ features: z.array(featureText) });

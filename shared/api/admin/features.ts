/** Features, as staff see and change them. */
import { z } from 'zod';
import { isLanguageTag } from '../../formats/localized-text.ts';
import { featureName } from '../features.ts';
import { dryRunField, policyPreview } from './policy-preview.ts';

const language = z.string().refine(isLanguageTag, 'must be a language such as "de" or "pt-BR"');

const localizedText = z.object({ en: z.string() }).catchall(z.string());

export const featureRecord = z.object({
  name: featureName,
  /** By language. */
  title: localizedText,
  /** A one-sentence description, by language. */
  does: localizedText,
  /** True if no window or page shows it. */
  hidden: z.boolean(),
  /** Whether it is built in: it can be hidden but not removed. */
  built_in: z.boolean(),
});
export type FeatureRecord = z.infer<typeof featureRecord>;

/** All features, in display order. */
export const featureList = z.object({ features: z.array(featureRecord) });

/**
 * Changes only the given fields; an empty text removes that language. A feature that does not exist is added, to no
 * plan.
 */
export const setFeatureRequest = z.object({
  title: z.record(language, z.string()).optional(),
  does: z.record(language, z.string()).optional(),
  hidden: z.boolean().optional(),
});

/** `from_plans`: also remove it from the plans that have it. */
export const removeFeatureRequest = z.object({ from_plans: z.boolean().default(false), ...dryRunField });

export const removeFeatureResponse = z.union([featureRecord, policyPreview]);

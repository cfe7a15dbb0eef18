/** The features that plans switch on and off, as the server sends them: the page does without the schemas of the API. */
import type { FeatureFlag, Features } from '../../../../shared/api/features.ts';

/** In the order in which the server sends them. */
export function flagsOf(features: Features): readonly FeatureFlag[] {
  return Object.keys(features).filter((name): name is FeatureFlag => name !== 'max_devices');
}

/** The same features, all of them off. */
export function withoutFeatures(features: Features): Features {
  const off = flagsOf(features).map((flag) => [flag, false]);
  return { ...features, ...Object.fromEntries(off) };
}

/** Each feature of the interface has its texts, which are kept separately from its name. */
import { expect, it } from 'vitest';
import { seededFeatures } from '../../shared/seeded-feature-texts.ts';
import { builtInFeatures } from '../../shared/seeded-features.ts';

it('the features with texts are those of the interface, in the same order', () => {
  expect(seededFeatures.map(({ name }) => name)).toEqual(builtInFeatures);
});

/** The features in a response: those of the interface, and a limited number of the server's own. */
import { expect, it } from 'vitest';
import { features, maxOwnFeatures } from '../../../shared/api/features.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';

const { advanced } = seededPlans;

it('a client accepts a limited number of features, but always all of the interface, wherever they appear', () => {
  const own = Array.from({ length: maxOwnFeatures + 100 }, (_, index) => [`own_${index}`, true]);
  const taken = features.parse({ ...Object.fromEntries(own), ...advanced });
  expect(taken).toMatchObject(advanced);
  expect(Object.keys(taken)).toHaveLength(maxOwnFeatures + Object.keys(advanced).length);
  expect(taken).toHaveProperty(`own_${maxOwnFeatures - 1}`, true);
});

it.each(['', 'Own', 'with space', '__proto__', '1st', 'x'.repeat(51), 'x'.repeat(100_000)])(
  'the name %j is not accepted as a feature',
  (name) => {
    const sent = JSON.parse(`${JSON.stringify(advanced).slice(0, -1)},${JSON.stringify(name)}:true}`);
    expect(Object.keys(features.parse(sent))).toEqual(Object.keys(advanced));
  },
);

it('a feature that is not a boolean is off', () => {
  expect(features.parse({ ...advanced, own: 'yes' })).toHaveProperty('own', false);
});

/** The work of explaining grows with the number of features, and no faster. */
import { expect, it } from 'vitest';
import { explainFeatures } from '../../../electron/licensing/why.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';

it('what the server has said is put together once for all features', () => {
  let copies = 0;
  const said = new Proxy(seededPlans.standard, {
    ownKeys: (features) => {
      copies++;
      return Reflect.ownKeys(features);
    },
  });
  const at = '2026-03-03T09:00:00.000Z';
  const response = { has_subscription: false, subscription: null, license: null, features: said } as const;
  const names = ['csv_export', 'custom_preprocessing', 'unheard_of'];
  const decisions = explainFeatures(
    names.map((feature) => ({ feature, on: true })),
    {
      facts: { licenseKey: null, localChange: null, validation: null, status: { response, at } },
      isSignedIn: true,
      license: { kind: 'unknown' },
      lease: null,
      goodLease: null,
      isLeaseNeeded: false,
      reachability: { kind: 'online' },
      lastAnswerAt: at,
      clock: 'in-sync',
      nowMs: Date.parse(at),
    },
  );
  const results = decisions.map(({ chain }) => chain.find(({ check }) => check === 'plan')?.result);
  expect(results).toEqual(['pass', 'fail', 'unknown']);
  expect(copies).toBe(1);
});

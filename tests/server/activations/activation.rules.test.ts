/** How an activation is decided, in every case, and how long a device has been silent. */
import { describe, expect, it } from 'vitest';
import {
  type ActivationInput,
  decideActivation,
  readDeviceActivity,
} from '../../../server/activations/activation.rules.ts';
import { day } from '../../harness/fake-clock.ts';

describe('the decision on an activation', () => {
  const input: ActivationInput<string> = {
    existing: undefined,
    replaced: undefined,
    activeCount: 2,
    maxActivations: 3,
  };
  const limitReached = { action: 'reject', reason: 'limit_reached' };
  it.each<{ when: string; change: Partial<ActivationInput<string>>; decision: object }>([
    { when: 'an activation is free', change: {}, decision: { action: 'activate', release: undefined } },
    { when: 'none is free', change: { activeCount: 3 }, decision: limitReached },
    { when: 'there are more devices than allowed', change: { activeCount: 9 }, decision: limitReached },
    {
      when: 'the device is active and none is free',
      change: { activeCount: 3, existing: 'this' },
      decision: { action: 'keep', activation: 'this' },
    },
    {
      when: 'another device is replaced and none is free',
      change: { activeCount: 3, replaced: 'other' },
      decision: { action: 'activate', release: 'other' },
    },
    {
      when: 'another device is replaced and there are more devices than allowed',
      change: { activeCount: 4, replaced: 'other' },
      decision: limitReached,
    },
    {
      when: 'the device to replace is unknown',
      change: { replaced: 'unknown' },
      decision: { action: 'reject', reason: 'replaced_not_found' },
    },
    {
      when: 'the device is active already and the one to replace is unknown',
      change: { existing: 'this', replaced: 'unknown' },
      decision: { action: 'keep', activation: 'this' },
    },
  ])('is right when $when', ({ change, decision }) => {
    expect(decideActivation({ ...input, ...change })).toStrictEqual(decision);
  });
});

describe('a device', () => {
  it.each([
    { silentMs: 0, reads: 'active' },
    { silentMs: -day, reads: 'active' },
    { silentMs: 7 * day - 1, reads: 'active' },
    { silentMs: 7 * day, reads: 'idle' },
    { silentMs: 30 * day - 1, reads: 'idle' },
    { silentMs: 30 * day, reads: 'stale' },
  ])('that is silent for $silentMs ms reads $reads', ({ silentMs, reads }) => {
    expect(readDeviceActivity(100 * day, 100 * day + silentMs)).toBe(reads);
  });
});

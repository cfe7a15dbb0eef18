/** The sentence about new devices: what the server writes is what a client reads. */
import { describe, expect, it } from 'vitest';
import { describeDeviceAllowance, readDeviceAllowance } from '../../../shared/api/license.ts';

const untilMs = Date.UTC(2026, 11, 3);

describe('the sentence about new devices', () => {
  it.each([
    [0, 'This license cannot be used on another new device until 3 December 2026.'],
    [1, 'This license can be used on 1 more new device until 3 December 2026.'],
    [2, 'This license can be used on 2 more new devices until 3 December 2026.'],
  ])('for %i more is read as it was written', (remaining, sentence) => {
    expect(describeDeviceAllowance({ remaining, untilMs })).toBe(sentence);
    expect(readDeviceAllowance(`This device is activated. ${sentence} More.`)).toStrictEqual({ remaining, untilMs });
  });

  it.each([
    '',
    'This device is activated.',
    'License activated successfully',
    'This license can be used on 1 more new device until further notice.',
    'This license can be used on 1 more new device until 99 Smarch 2026.',
  ])('is not found in %j', (message) => {
    expect(readDeviceAllowance(message)).toBeUndefined();
  });
});

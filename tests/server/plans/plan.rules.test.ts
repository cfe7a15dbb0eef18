/** Whether one plan gives everything that another gives. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { covers } from '../../../server/plans/plan.rules.ts';
import { featuresWith } from '../account-snapshots/snapshots.ts';

const none = featuresWith(2);
const csv = featuresWith(2, 'csv_export');
const api = featuresWith(2, 'api_access');
const both = featuresWith(2, 'csv_export', 'api_access');

describe('a plan', () => {
  it.each([
    { when: 'it has one device fewer', one: featuresWith(1), other: none, result: false },
    { when: 'it has as many devices', one: featuresWith(2), other: none, result: true },
    { when: 'it has one device more', one: featuresWith(3), other: none, result: true },
    { when: 'it has the same features', one: both, other: both, result: true },
    { when: 'it has a feature more', one: both, other: api, result: true },
    { when: 'it lacks one of two features', one: csv, other: both, result: false },
    { when: 'it has another feature instead', one: csv, other: api, result: false },
    { when: 'it lacks a feature and has more devices', one: featuresWith(9), other: csv, result: false },
    { when: 'it has more features and fewer devices', one: featuresWith(1, 'csv_export'), other: none, result: false },
    {
      when: "it lacks a feature of the server's own",
      one: both,
      other: featuresWith(2, 'pdf_reports'),
      result: false,
    },
    {
      when: "it does not name a feature of the server's own that the other has switched off",
      one: none,
      other: { ...none, pdf_reports: false },
      result: true,
    },
    {
      when: 'it names a feature that the other has, and has it switched off',
      one: { ...none, pdf_reports: false },
      other: featuresWith(2, 'pdf_reports'),
      result: false,
    },
  ])('covers another, if $when: $result', ({ one, other, result }) => {
    expect(covers(one, other)).toBe(result);
  });

  const anyPlan = fc
    .tuple(fc.nat(3), fc.subarray(['csv_export', 'api_access', 'pdf_reports']))
    .map(([maxDevices, on]) => featuresWith(maxDevices, ...on));

  it('covers itself and, transitively, whatever a covered plan covers', () => {
    fc.assert(
      fc.property(anyPlan, anyPlan, anyPlan, (one, two, three) => {
        expect(covers(one, one)).toBe(true);
        if (covers(one, two) && covers(two, three)) expect(covers(one, three)).toBe(true);
      }),
    );
  });
});

/** What a support file records of what the client knows: enough to replay its decisions, but no key and no sentence. */
import { expect, it } from 'vitest';
import { describeKnown } from '../../../electron/licensing/known-facts.ts';
import { sampleClaims } from './sample-claims.ts';

type KnownFactsSource = Parameters<typeof describeKnown>[0];

const at = '2026-03-03T09:00:00.000Z';
const time = { trustedMs: 1 };
const claims = sampleClaims({ issuedMs: 0, endMs: 1000 });

/** The parts of a client; `addresses` are those that keys were asked for. */
function sourceOf(given: { readonly [Part in keyof KnownFactsSource]?: unknown } = {}, addresses: unknown[] = []) {
  return {
    session: { user: null, serverAddress: null },
    store: { owner: null, facts: { licenseKey: null, localChange: null, validation: null, status: null } },
    lease: { info: { kid: null }, claims: null },
    leaseKeys: { of: (address: unknown) => addresses.push(address) && { keys: [{ kid: 'one' }, { kid: 'two' }] } },
    leaseAccount: { current: null },
    featureTexts: { current: null },
    serverAbout: { current: null },
    trustedTime: { reading: () => time },
    reachability: { state: { kind: 'online' } },
    preferences: { current: { serverAddress: 'https://preferred.org' } },
    ...given,
  } as unknown as KnownFactsSource;
}

it.each([
  ['the session', { session: { user: null, serverAddress: 'https://session.org' } }, 'https://session.org'],
  ['the account', {}, 'https://owner.org'],
])('the keys are those of the server of %s', (_, given, address) => {
  const addresses: unknown[] = [];
  const store = { owner: { serverAddress: 'https://owner.org' }, facts: { licenseKey: null, validation: null } };
  expect(describeKnown(sourceOf({ store, ...given }, addresses)).kids).toEqual(['one', 'two']);
  expect(addresses).toEqual([address]);
});

it('the keys are those of the preferred server while there is neither a session nor an account', () => {
  const addresses: unknown[] = [];
  describeKnown(sourceOf({}, addresses));
  expect(addresses).toEqual(['https://preferred.org']);
});

it.each([
  ['in use', { info: { kid: 'one' }, claims }, { kid: 'one', claims }],
  ['of an unknown key', { info: { kid: null }, claims }, null],
  ['that could not be read', { info: { kid: 'one' }, claims: null }, null],
])('a lease %s is recorded as such', (_, lease, expected) => {
  expect(describeKnown(sourceOf({ lease })).lease).toEqual(expected);
});

it('features are recorded by their names', () => {
  expect(describeKnown(sourceOf()).feature_names).toBeNull();
  const featureTexts = { current: [{ name: 'csv_export', label: 'CSV export' }] };
  expect(describeKnown(sourceOf({ featureTexts })).feature_names).toEqual(['csv_export']);
});

it('a validation is recorded without the sentence of a refusal', () => {
  const recorded = (validation: unknown) =>
    describeKnown(sourceOf({ store: { owner: null, facts: { licenseKey: null, validation } } })).license.validation;
  const valid = { at, response: { valid: true, plan: 'standard' } };
  expect(recorded(null)).toBeNull();
  expect(recorded(valid)).toEqual(valid);
  expect(recorded({ at, response: { valid: false, code: 'LICENSE_REVOKED', error: 'Ada, it was revoked.' } })).toEqual({
    at,
    response: { valid: false, code: 'LICENSE_REVOKED', error: '' },
  });
});

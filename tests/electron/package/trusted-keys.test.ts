/**
 * The lease keys that an integrator builds into an app: anything but a list of keys is rejected, instead of trusting
 * any key.
 */
import { expect, it } from 'vitest';
import { createLicensingClient } from '../../../electron/package/create-licensing-client.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { LeaseSigner } from '../licensing/lease-signer.ts';

function create(trustedLeaseKeys: unknown) {
  return createLicensingClient({
    platform: createFakePlatform(),
    server: 'https://licenses.example.org',
    app: { name: 'Sketcher', version: '1.0.0' },
    trustedLeaseKeys: trustedLeaseKeys as never,
  });
}

it.each([
  ['null, as from a setting that is missing', null],
  ['an empty text', ''],
  ['an empty list', []],
  ['the document of the keys instead of its list', { keys: [new LeaseSigner().jwk] }],
  ['a key of another kind', [{ ...new LeaseSigner().jwk, kty: 'EC' }]],
])('rejects %s', (_, keys) => {
  expect(() => create(keys)).toThrow(TypeError);
});

it('accepts a list of keys, and without one uses the keys of the server', () => {
  expect(() => create([new LeaseSigner().jwk])).not.toThrow();
  expect(() => create(undefined)).not.toThrow();
});

/** What the recorded history contains of each response. */
import { describe, expect, it } from 'vitest';
import { describeAnswer } from '../../../electron/licensing/answer-content.ts';
import { features } from '../../../shared/api/features.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { LeaseSigner } from './lease-signer.ts';
import { licenseKey } from './scripted-server.ts';

const signer = new LeaseSigner('lease-7');
const about = {
  sub: '01890000-0000-7000-8000-00000000000a',
  device_id: 'HW-01234567-89ABCDEF-01234567-89ABCDEF',
  license: 'SVC-AB12...GH7X',
  plan: 'standard',
  features: features.parse(seededPlans.standard),
};
const { lease } = signer.sign(about, Date.parse('2026-03-03T09:00:00.000Z'));
const user = { id: about.sub, email: 'ada@lab.org', full_name: 'Ada' };
const valid = { valid: true, plan: 'standard' };
const status = { has_subscription: false, subscription: null, license: null, features: {} };

describe('of a response, the history contains', () => {
  it.each<[Parameters<typeof describeAnswer>[0], unknown, unknown]>([
    ['login', { access_token: 'secret', user }, { account_id: user.id }],
    ['signup', { access_token: 'secret', user }, { account_id: user.id }],
    ['validateLicense', valid, { validation: valid }],
    [
      'validateLicense',
      { valid: false, code: 'LICENSE_REVOKED', error: 'Ada’s key was revoked.' },
      { validation: { valid: false, code: 'LICENSE_REVOKED', error: '' } },
    ],
    ['subscriptionStatus', status, { status }],
    [
      'activateLicense',
      { success: true, activation_id: 'a-1', activations: 2, max_activations: 3, message: 'Activated.' },
      { activation: { activations: 2, max_activations: 3 } },
    ],
    ['lease', { lease: 'no lease' }, undefined],
    ['leaseKeys', { keys: [signer.jwk, { kty: 'oct', k: 'secret' }] }, { kids: ['lease-7'] }],
    ['about', { sign_up: 'open', leases: true }, { leases: true }],
    ['features', { features: [{ name: 'csv_export', title: 'CSV' }] }, { feature_names: ['csv_export'] }],
    ['replaceLicenseKey', { license_key: licenseKey, license: {} }, { key_preview: 'SVC-AB12...GH7X' }],
    ['heartbeat', { success: true, warning: 'Seen elsewhere.' }, undefined],
    ['apiKey', { api_key: 'secret' }, undefined],
  ])('what decides later: %s', (endpoint, response, expected) => {
    expect(describeAnswer(endpoint, response)).toEqual(expected);
  });

  it('the claims of a lease and the id of its key, without the signature', () => {
    const content = describeAnswer('lease', { lease });
    expect(content).toMatchObject({ lease: { kid: 'lease-7', claims: about } });
    expect(JSON.stringify(content)).not.toContain(lease.split('.')[2]);
  });
});

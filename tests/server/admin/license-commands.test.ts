/** `license`: an issued license can be activated, and changes by an admin take effect at once. */
import { expect, it } from 'vitest';
import { hasValidCheckCharacter, normaliseLicenseKey } from '../../../shared/formats/license-key.ts';
import { createAdmin } from '../../harness/run-admin.ts';
import { startServer } from '../../harness/start-server-old.ts';

type License = { id: string; key_preview: string; status: string };
type Issued = { license_key: string; license: License };

const deviceId = 'HW-01234567-89ABCDEF-01234567-89ABCDEF';

it('issue uses the plan of the owner, otherwise standard, and the device limit of the plan', async () => {
  const admin = createAdmin();
  const { id } = await admin.createUser('ada@example.com');
  const forNobody = await admin.json<Issued>(['license', 'issue']);
  expect(forNobody.license).toMatchObject({ plan: 'standard', max_activations: 3, email: null, expires_at: null });

  const withoutPlan = await admin.json<Issued>(['license', 'issue', '--email', 'ada@example.com']);
  expect(withoutPlan.license).toMatchObject({ plan: 'standard', email: 'ada@example.com', with_subscription: false });

  await admin.json(['subscription', 'set', 'ada@example.com', '--plan', 'advanced']);
  const owned = await admin.json<Issued>(['license', 'issue', '--email', 'ADA@example.com', '--with-subscription']);
  expect(owned.license).toMatchObject({
    user_id: id,
    plan: 'advanced',
    status: 'active',
    activations: 0,
    max_activations: 10,
    with_subscription: true,
  });

  const words = ['--plan', 'free', '--max-activations', '7', '--expires-at', '2094-05-06'];
  const limited = await admin.json<Issued>(['license', 'issue', ...words]);
  expect(limited.license).toMatchObject({ plan: 'free', max_activations: 7, expires_at: '2094-05-06T00:00:00.000Z' });

  const past = await admin.json<Issued>(['license', 'issue', '--expires-at', '2020-05-06T07:08:09Z']);
  expect(past.license).toMatchObject({ status: 'expired', expires_at: '2020-05-06T07:08:09.000Z' });

  expect(await admin.failure(['license', 'issue', '--plan', 'platinum'])).toMatchObject({ code: 'NOT_FOUND' });
  const all = [forNobody, withoutPlan, owned, limited, past].map(({ license }) => license);
  expect(await admin.json(['license', 'list'])).toEqual(all);
  const own = await admin.json(['license', 'list', '--email', 'ada@example.com']);
  expect(own).toEqual([withoutPlan.license, owned.license]);
});

it('the key is well-formed, and printed only when it is issued', async () => {
  const admin = createAdmin();
  const { license_key: key, license } = await admin.json<Issued>(['license', 'issue']);
  expect(key).toMatch(/^SVC(-[0-9A-HJKMNP-TV-Z]{4}){4}$/);
  expect(normaliseLicenseKey(key)).toBe(key);
  expect(hasValidCheckCharacter(key)).toBe(true);
  expect(license.key_preview).toBe(`${key.slice(0, 8)}...${key.slice(-4)}`);
  const { stdout } = await admin.run(['license', 'list']);
  expect(stdout).toContain(license.key_preview);
  expect(stdout).not.toContain(key);

  const readable = await admin.run(['license', 'issue']);
  expect(readable.stdout).toMatch(/^license key {2}SVC(-\w{4}){4}\n/);
});

it('set and release take effect on the running server', async () => {
  const admin = createAdmin();
  const server = await startServer(admin.folder);
  const person = { email: 'ada@example.com', password: 'a fine passphrase', full_name: '' };
  const token = String((await server.call('/auth/signup', person)).body.access_token);
  const { license_key, license } = await admin.json<Issued>(['license', 'issue', '--max-activations', '1']);
  const validate = async () =>
    (await server.call('/license/validate', { license_key, device_id: deviceId }, token)).body;
  const activate = { license_key, device_id: deviceId, device_name: 'Desk', platform: 'linux x64' };
  expect((await server.call('/license/activate', activate, token)).status).toBe(200);

  const claimed = await admin.json<License[]>(['license', 'list', '--email', person.email]);
  expect(claimed).toMatchObject([
    { id: license.id, activations: 1, devices: [{ device_id: deviceId, device_name: 'Desk', platform: 'linux x64' }] },
  ]);

  const codes = { revoked: 'LICENSE_REVOKED', expired: 'LICENSE_EXPIRED', inactive: 'LICENSE_INACTIVE' };
  for (const [status, code] of Object.entries(codes)) {
    expect(await admin.json(['license', 'set', license.id, '--status', status])).toMatchObject({ status });
    expect(await validate()).toMatchObject({ valid: false, code });
  }
  await admin.json(['license', 'set', license.id, '--status', 'active']);
  expect(await validate()).toMatchObject({ valid: true, already_activated_on_device: true });

  const released = await admin.json(['license', 'release', license.id, deviceId]);
  expect(released).toMatchObject({ id: license.id, activations: 0, devices: [] });
  expect(await validate()).toMatchObject({ valid: true, already_activated_on_device: false, can_activate: true });
});

it('a license or device that does not exist is an error with a code', async () => {
  const admin = createAdmin();
  const { license } = await admin.json<Issued>(['license', 'issue']);
  expect((await admin.failure(['license', 'set', 'no-such-id', '--status', 'active'])).code).toMatch(/NOT_FOUND$/);
  expect((await admin.failure(['license', 'release', 'no-such-id', deviceId])).code).toMatch(/NOT_FOUND$/);
  expect((await admin.failure(['license', 'release', license.id, deviceId])).code).toBe('NOT_FOUND');
});

it('the licenses of an account are deleted with it', async () => {
  const admin = createAdmin();
  await admin.createUser('ada@example.com');
  await admin.json(['license', 'issue', '--email', 'ada@example.com']);
  await admin.json(['user', 'delete', 'ada@example.com']);
  expect(await admin.json(['license', 'list'])).toEqual([]);
});

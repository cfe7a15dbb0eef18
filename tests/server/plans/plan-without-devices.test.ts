/** A plan may have 0 devices, such as one for programs that only use API keys. Transport: inject. */
import { expect, it } from 'vitest';
import { newStaff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { activate, issueLicense, subscriber } from '../../harness/users.ts';

const server = sharedApp();

it('a license of a plan with 0 devices cannot be activated, but its account still gets an API key', async () => {
  await server.admin('plan', 'set', 'programs', '--max-devices', '0', '--feature', 'api_access=true');
  const user = await subscriber(server, 'programs');
  const { key, license } = await issueLicense(server, '--plan', 'programs');
  expect(license).toMatchObject({ max_activations: 0 });
  const { response: refused } = await activate(server, user, key);
  expect([refused.status, refused.body.code]).toEqual([409, 'MAX_ACTIVATIONS_REACHED']);
  expect((await server.call('apiKey', { token: user.token, body: {} })).status).toBe(200);
});

it('the admin page accepts 0 as well, but not -1', async () => {
  const { browser } = await newStaff(server, 'owner');
  const set = (max_devices: number) => browser.call('setPlan', { at: ['no-devices'], body: { max_devices } });
  expect((await set(0)).body).toMatchObject({ max_devices: 0 });
  const refused = await set(-1);
  expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('from 0 to 1000000')]);
});

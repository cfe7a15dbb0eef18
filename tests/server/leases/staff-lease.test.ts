/** Staff sign the lease of a device that is never online. */
import { expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { verifyLease } from '../../../shared/lease.ts';
import { interfereBefore } from '../../harness/interference.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { newStaff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { issueLicense, newDeviceId, signUp } from '../../harness/users.ts';

const server = sharedApp();

it('a request is activated and gets its lease, and the audit log names the member of staff', async () => {
  const { browser, email } = await newStaff(server, 'support');
  const user = await signUp(server);
  const { key, id } = await issueLicense(server);
  // The command that issued the license writes to the audit log separately from the app.
  server.clock.advance(1);
  const request = { license_key: key, device_id: newDeviceId(), device_name: 'Bench 4' };
  const unowned = await browser.call('signLease', { body: { request } });
  expect(unowned).toMatchObject({ status: 400, body: envelope('VALIDATION_ERROR') });
  const signed = await browser.expectOk('signLease', { body: { request, email: user.email } });
  const { body: jwks } = await server.request('GET', '/.well-known/jwks.json');
  const check = { jwks, deviceId: request.device_id, nowMs: server.now(), subtle: crypto.subtle };
  expect(await verifyLease(String(signed.lease), check)).toMatchObject({ valid: true, claims: { sub: user.id } });
  const { rows } = await server.services.auditList.readPage({ target: id }, { limit: 2 });
  expect(rows.map(({ actor, action }) => [actor, action])).toEqual([
    [email, 'license.lease'],
    [email, 'license.activate'],
  ]);
  expect(await browser.expectOk('license', { at: id })).toMatchObject({ devices: [{ device_name: 'Bench 4' }] });
});

it('a viewer may not sign leases, and an invalid request or one without a good license is refused', async () => {
  const request = { license_key: 'SVC-0000-0000-0000-0000', device_id: newDeviceId() };
  const viewer = await newStaff(server, 'viewer');
  expect((await viewer.browser.call('signLease', { body: { request } })).body).toStrictEqual(envelope('FORBIDDEN'));
  const { browser } = await newStaff(server, 'support');
  const codeOf = async (body: object) => (await browser.call('signLease', { body })).body.code;
  expect(await codeOf({ request })).toBe('LICENSE_NOT_FOUND');
  expect(await codeOf({ request: { ...request, device_id: 'mine' } })).toBe('VALIDATION_ERROR');
  expect(await codeOf({ request, email: 'nobody@example.com' })).toMatch(/NOT_FOUND/);
  const { key, id } = await issueLicense(server, '--email', (await signUp(server)).email);
  await server.admin('license', 'set', id, '--status', 'revoked');
  expect(await codeOf({ request: { ...request, license_key: key } })).toBe('LICENSE_INACTIVE');
});

it('staff are not told that their own session has ended if the owner of the license is deleted meanwhile', async () => {
  const { browser } = await newStaff(server, 'support');
  const { key } = await issueLicense(server);
  for (let act = 0, isOver = false; !isOver; act++) {
    const { email } = await signUp(server);
    const request = { license_key: key, device_id: newDeviceId() };
    const { result, acts } = await interfereBefore(act, {
      database: server.database,
      interfere: () => server.services.accounts.remove(email, byCommand),
      work: () => browser.call('signLease', { body: { request, email } }),
    });
    isOver = act >= acts;
    expect([200, 403, 404], `before act ${act}: ${result.text}`).toContain(result.status);
    expect((await browser.call('staffSession')).status).toBe(200);
  }
});

it('an owner sets how many days the leases of a plan last', async () => {
  const { browser } = await newStaff(server, 'owner');
  const set = (lease_days: unknown) => browser.call('setPlan', { at: 'standard', body: { lease_days } });
  expect((await set(30)).body).toMatchObject({ lease_days: 30 });
  expect((await set(null)).body).toMatchObject({ lease_days: null });
  expect((await set(0)).body).toMatchObject({ code: 'VALIDATION_ERROR' });
});

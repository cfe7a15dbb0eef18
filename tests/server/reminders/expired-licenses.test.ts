/**
 * `license.expired`: sent once when the end of a license passes or staff set it to expired, also by an otherwise idle
 * server.
 */
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { allowPrivate, listenToEvents } from '../../harness/endpoint-events.ts';
import { startEventReceiver } from '../../harness/event-receiver.ts';
import { day, minute, second } from '../../harness/fake-clock.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';
import { isoFromNow, issueLicense, signUp } from '../../harness/users.ts';
import { describeEachDatabase } from '../audit/databases.ts';

async function setUp() {
  const server = await startTestApp({ ...allowPrivate, LATCHKEY_REMIND: '' });
  const read = await listenToEvents(server, 'license.expired', 'license.reinstated');
  const types = async () => {
    await server.services.reminders.run(async () => true);
    return (await read()).map(({ type }) => type);
  };
  return { server, read, types };
}

const setStatus = (server: TestApp, id: string, status: string) =>
  server.admin('license', 'set', id, '--status', status);

describe('license.expired', () => {
  it('says whose license it is, and when it expired', async () => {
    const { server, read } = await setUp();
    const user = await signUp(server);
    const expires_at = isoFromNow(server, minute);
    const { id, license } = await issueLicense(server, '--email', user.email, '--expires-at', expires_at);
    server.clock.advance(minute);
    await server.services.reminders.run(async () => true);
    const data = { account_id: user.id, email: user.email, license_id: id, plan: 'standard', expires_at };
    expect((await read()).map((event) => event.data)).toStrictEqual([{ ...data, key_preview: license.key_preview }]);
  });

  it('is sent for a license whose end is set to a time in the past', async () => {
    const { server, types } = await setUp();
    const { id } = await issueLicense(server);
    await server.services.licenseChanges.setExpiry(id, server.now() - day, byCommand);
    expect(await types()).toEqual(['license.expired']);
    await server.services.licenseChanges.setExpiry(id, server.now() - 2 * day, byCommand);
    expect(await types()).toEqual([]);
  });

  it('is sent again for a license that was extended in between', async () => {
    const { server, types } = await setUp();
    const { id } = await issueLicense(server, '--expires-at', isoFromNow(server, -second));
    const { licenseChanges } = server.services;
    expect(await types()).toEqual(['license.expired']);
    const firstEnd = server.now() - second;
    await licenseChanges.setExpiry(id, server.now() + day, byCommand);
    expect(await types()).toEqual(['license.reinstated']);
    await licenseChanges.setExpiry(id, firstEnd, byCommand);
    expect(await types()).toEqual(['license.expired']);
    await licenseChanges.setExpiry(id, server.now() + day, byCommand);
    server.clock.advance(day);
    expect(await types()).toEqual(['license.expired', 'license.reinstated']);
  });

  it('is sent once if staff set a license to expired before its end, or between its end and the event', async () => {
    const { server, types } = await setUp();
    const { id } = await issueLicense(server, '--expires-at', isoFromNow(server, minute));
    const { id: late } = await issueLicense(server, '--expires-at', isoFromNow(server, minute));
    await setStatus(server, id, 'expired');
    expect(await types()).toEqual(['license.expired']);
    server.clock.advance(minute);
    await setStatus(server, late, 'expired');
    expect(await types()).toEqual(['license.expired']);
  });

  it('is not sent for a license that was extended in the seconds between its end and the event', async () => {
    const { server, types } = await setUp();
    const { id } = await issueLicense(server, '--expires-at', isoFromNow(server, minute));
    server.clock.advance(minute);
    await server.services.licenseChanges.setExpiry(id, server.now() + minute, byCommand);
    expect(await types()).toEqual([]);
    server.clock.advance(minute);
    expect(await types()).toEqual(['license.expired']);
  });

  it('is not sent for a revoked license until the revocation is undone', async () => {
    const { server, types } = await setUp();
    const { id } = await issueLicense(server, '--expires-at', isoFromNow(server, minute));
    await setStatus(server, id, 'revoked');
    server.clock.advance(minute);
    expect(await types()).toEqual([]);
    await setStatus(server, id, 'active');
    expect(await types()).toEqual(['license.expired']);
  });

  it('is sent for a suspended license', async () => {
    const { server, types } = await setUp();
    const { id } = await issueLicense(server, '--expires-at', isoFromNow(server, minute));
    await setStatus(server, id, 'inactive');
    server.clock.advance(minute);
    expect(await types()).toEqual(['license.expired']);
  });

  it('is sent for each of many licenses after downtime', async () => {
    const { server, types } = await setUp();
    const end = isoFromNow(server, minute);
    for (let count = 0; count < 230; count++) {
      await server.services.licenseAdmin.issue({ expiresAtMs: Date.parse(end) }, byCommand);
    }
    server.clock.advance(90 * day);
    expect(await types()).toHaveLength(230);
    expect(await types()).toEqual([]);
  });

  it('is not sent to an endpoint that was added later', async () => {
    const server = await startTestApp(allowPrivate);
    await issueLicense(server, '--expires-at', isoFromNow(server, -day));
    await server.services.reminders.run(async () => true);
    const read = await listenToEvents(server);
    await server.services.reminders.run(async () => true);
    expect(await read()).toEqual([]);
  });
});

describeEachDatabase((database) => {
  it('a running server sends license.expired by itself', async () => {
    const receiver = await startEventReceiver();
    const server = await startHttpServer(await database.createAdmin({ ...allowPrivate, LATCHKEY_REMIND: '' }));
    await server.admin('webhook', 'add', receiver.url, '--event', 'license.expired');
    const { id } = await issueLicense(server, '--expires-at', new Date(Date.now() + second).toISOString());
    await expect.poll(() => receiver.received).toHaveLength(1);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
      type: 'license.expired',
      data: { license_id: id },
    });
  });
});

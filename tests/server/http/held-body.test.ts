/**
 * A request whose body arrives late is refused if the sender was signed out or lost a role in the meantime. A request
 * whose body does not arrive is ended.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { apiRoot } from '../../../shared/api/endpoints.ts';
import { minute } from '../../harness/fake-clock.ts';
import { openSocket, parseResponse, readToEnd } from '../../harness/raw-request.ts';
import { newStaff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { goodPassword, newDeviceId, newEmail, subscriber } from '../../harness/users.ts';
import { billingSecret } from '../billing/billing-events.ts';

const server = sharedApp({ LATCHKEY_BILLING_SECRET: billingSecret });
let url: string;

beforeAll(async () => {
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;
});

type Request = { readonly line: string; readonly headers: readonly string[]; readonly body: object };

/** Sends all but the end of the body, runs `meanwhile`, and sends the rest. */
async function sendAround({ line, headers, body }: Request, meanwhile: () => Promise<unknown>) {
  const [method, path] = line.split(' ');
  const text = JSON.stringify(body);
  const lines = [
    `${method} ${apiRoot}${path} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${text.length}`,
    ...headers,
  ];
  const socket = await openSocket(url);
  const received = readToEnd(socket);
  socket.write(`${lines.join('\r\n')}\r\n\r\n${text.slice(0, 5)}`);
  // By the time a later request has its response, the headers of this one have been read.
  await server.call('about');
  await fetch(`${url}${apiRoot}/about`);
  await meanwhile();
  socket.write(text.slice(5));
  const { status, text: response } = parseResponse(await received);
  return { status, body: JSON.parse(response) };
}

describe('a request whose headers were accepted before its body arrived', () => {
  it('is refused if its member of staff was removed in the meantime', async () => {
    await newStaff(server, 'owner');
    const { email, browser } = await newStaff(server, 'owner');
    const { id } = await server.services.staffAdmin.getByEmail(email);
    const invited = newEmail();
    const headers = [`Cookie: ${browser.cookie}`, 'Sec-Fetch-Site: same-origin'];
    const adding = { line: 'POST /admin/staff', headers, body: { email: invited, role: 'owner' } };
    const response = await sendAround(adding, () => server.services.staffAdmin.remove(id, byCommand));
    expect(response).toMatchObject({ status: 401, body: { code: 'INVALID_TOKEN' } });
    expect((await server.services.staffAdmin.list()).map((member) => member.email)).not.toContain(invited);
  });

  it('is refused if its member of staff lost the role in the meantime', async () => {
    await newStaff(server, 'owner');
    const { email, browser } = await newStaff(server, 'owner');
    const { id } = await server.services.staffAdmin.getByEmail(email);
    const headers = [`Cookie: ${browser.cookie}`, 'Sec-Fetch-Site: same-origin'];
    const adding = { line: 'POST /admin/staff', headers, body: { email: newEmail(), role: 'owner' } };
    const response = await sendAround(adding, () => server.services.staffAdmin.setRole(id, 'viewer', byCommand));
    expect(response).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });

  it('is accepted if a confirmation expired or the session got another secret in the meantime', async () => {
    const { browser } = await newStaff(server, 'owner');
    const headers = [`Cookie: ${browser.cookie}`, 'Sec-Fetch-Site: same-origin'];
    const adding = { line: 'POST /admin/staff', headers, body: { email: newEmail(), role: 'viewer' } };
    const response = await sendAround(adding, async () => {
      await browser.expectOk('staffConfirm', { body: { password: goodPassword } });
      server.clock.advance(10 * minute);
    });
    expect(response).toMatchObject({ status: 200 });
  });

  it('is refused if its user was signed out in the meantime', async () => {
    const { token, refreshToken } = await subscriber(server);
    const body = { device_id: newDeviceId() };
    const beating = { line: 'POST /heartbeat', headers: [`Authorization: Bearer ${token}`], body };
    const signOut = { body: { refresh_token: refreshToken, all_devices: true } };
    const response = await sendAround(beating, () => server.call('logout', signOut));
    expect(response).toMatchObject({ status: 401, body: { code: 'INVALID_TOKEN' } });
  });
});

describe('a body that does not arrive', () => {
  it.each([
    'POST /heartbeat',
    'POST /auth/login',
    'POST /billing/webhook',
    'POST /metrics/api-key/github',
    'DELETE /nothing/here',
  ])('of %s ends its request within 10 seconds', async (line) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { token } = await subscriber(server);
    const [method, path] = line.split(' ');
    const lines = [
      `${method} ${apiRoot}${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Content-Length: 100',
    ];
    const socket = await openSocket(url);
    const received = readToEnd(socket);
    const arrived = once(server.app.server, 'request');
    socket.write(`${lines.join('\r\n')}\r\n\r\n{"`);
    await arrived;
    await vi.advanceTimersByTimeAsync(11_000);
    expect([404, 408]).toContain(parseResponse(await received).status);
  });

  it.each(['GET', 'HEAD'])(
    'of a %s, which takes no body, ends its connection soon after the response',
    async (method) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      const socket = await openSocket(url);
      const received = readToEnd(socket);
      const arrived = once(server.app.server, 'request');
      socket.write(`${method} ${apiRoot}/about HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"`);
      const [, response] = await arrived;
      await once(response, 'finish');
      await vi.advanceTimersByTimeAsync(11_000);
      expect(parseResponse(await received).status).toBe(200);
    },
  );
});

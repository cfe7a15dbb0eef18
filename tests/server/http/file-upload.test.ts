/** Files uploaded over HTTP: hashed as they arrive, whatever their size or speed; an aborted upload does no harm. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { StaffAuth } from '../../../server/http/staff-auth.ts';
import { apiRoot } from '../../../shared/api/endpoints.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { fromPage, newStaff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp();
let url: string;
let cookie: string;

beforeAll(async () => {
  await server.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}${apiRoot}/admin/installers/1.0.0/linux_amd64`;
  cookie = (await newStaff(server, 'owner')).browser.cookie;
});

type Upload = { readonly sent: ClientRequest; readonly response: Promise<{ status: number; body: object }> };

/** Begins an upload by sending only its headers. */
function begin(headers: Record<string, string> = {}): Upload {
  const all = { ...fromPage, cookie, 'content-type': 'application/octet-stream', ...headers };
  const sent = request(url, { method: 'PUT', headers: all });
  const response = new Promise<{ status: number; body: object }>((resolve, reject) => {
    sent.on('response', async (message) => {
      const chunks = await message.toArray();
      resolve({ status: message.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString()) });
    });
    sent.on('error', reject);
  });
  sent.flushHeaders();
  return { sent, response };
}

/** Returns the status of an upload that ends at once: 503 while another one is in progress. */
async function statusOfShort(): Promise<number> {
  const { sent, response } = begin();
  sent.end('x');
  return (await response).status;
}

describe('an uploaded file', () => {
  it('is hashed whatever its size', async () => {
    const block = randomBytes(1024 * 1024);
    const hash = createHash('sha256');
    const count = 100;
    for (let index = 0; index < count; index++) hash.update(block);
    const sha256 = hash.digest('hex');
    const { sent, response } = begin({ 'x-sha256': sha256 });
    for (let index = 0; index < count; index++) {
      if (!sent.write(block)) await new Promise((resolve) => sent.once('drain', resolve));
    }
    sent.end();
    expect(await response).toMatchObject({
      status: 200,
      body: { installers: { version: '1.0.0', hashes: { linux_amd64: `sha256:${sha256}` } } },
    });
  });

  it('whose upload is aborted causes no error, and the next one is accepted', async () => {
    const { sent, response } = begin({ 'x-sha256': 'ab'.repeat(32) });
    sent.write('the beginning');
    sent.destroy();
    await expect(response).rejects.toThrow();
    expect(server.logText()).not.toContain('"level":50');
    const sha256 = createHash('sha256').update('all of it').digest('hex');
    const next = begin({ 'x-sha256': sha256 });
    next.sent.end('all of it');
    expect((await next.response).status).toBe(200);
  });

  it('whose client disconnects during authentication does not occupy a slot', async () => {
    const { authenticate } = StaffAuth.prototype;
    const admitting = vi.spyOn(StaffAuth.prototype, 'authenticate');
    onTestFinished(() => admitting.mockRestore());
    for (let count = 0; count < 4; count++) {
      const { sent, response } = begin();
      sent.write('the beginning');
      const admitted = Promise.withResolvers<void>();
      admitting.mockImplementationOnce(async function (this: StaffAuth, incoming) {
        const gone = once(incoming.raw.socket, 'close');
        sent.destroy();
        await gone;
        setImmediate(admitted.resolve);
        return authenticate.call(this, incoming);
      });
      await expect(response).rejects.toThrow();
      await admitted.promise;
    }
    expect(await statusOfShort()).toBe(400);
  });

  it('is refused as long as another one of the same member is in progress, but not one of another member', async () => {
    const isRead = new Promise((resolve) =>
      server.app.server.once('request', (incoming) => incoming.once('resume', resolve)),
    );
    const slow = begin();
    slow.sent.write('the beginning');
    await isRead;
    expect(await statusOfShort()).toBe(503);
    const colleague = begin({ cookie: (await newStaff(server, 'owner')).browser.cookie });
    colleague.sent.end('x');
    expect((await colleague.response).status).toBe(400);
    slow.sent.end();
    expect((await slow.response).body).toStrictEqual(envelope('VALIDATION_ERROR'));
    expect(await statusOfShort()).toBe(400);
  });

  it('is refused from staff who may not publish installers', async () => {
    const { browser } = await newStaff(server, 'support');
    const { sent, response } = begin({ cookie: browser.cookie });
    sent.end('x');
    expect(await response).toStrictEqual({ status: 403, body: envelope('FORBIDDEN') });
  });
});

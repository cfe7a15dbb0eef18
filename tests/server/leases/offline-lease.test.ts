/** A device that is never online: its request reaches the server as a file, and its lease returns as one. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeLease } from '../../../server/admin/lease-files.ts';
import { verifyLease } from '../../../shared/lease.ts';
import type { Admin } from '../../harness/admin.ts';
import { startHttpServer } from '../../harness/http-server.ts';
import { timestamp } from '../../harness/response-shapes.ts';
import { createAdmin, temporaryFolder } from '../../harness/test-admin.ts';
import { newDeviceId } from '../../harness/users.ts';
import { describeEachDatabase, listEntries } from '../audit/databases.ts';

const email = 'ada@example.com';

type Issued = { license_key: string; license: { id: string } };

const issue = (admin: Admin, ...words: string[]) => admin.json<Issued>(['license', 'issue', ...words]);

function writeRequest(content: object | string): { request: string; out: string } {
  const folder = temporaryFolder();
  const request = join(folder, 'request.json');
  writeFileSync(request, typeof content === 'string' ? content : JSON.stringify(content));
  return { request, out: join(folder, 'device.lease') };
}

describeEachDatabase((database) => {
  it('a device that is never online is activated, and its lease is verified with the published keys', async () => {
    const admin = await database.createAdmin();
    const { id } = await admin.createUser(email);
    const { license_key, license } = await issue(admin, '--email', email);
    const device_id = newDeviceId();
    const { request, out } = writeRequest({ license_key, device_id, device_name: 'Bench 4', platform: 'linux' });
    const signed = await admin.json<{ lease: string }>(['lease', 'sign', request, '--out', out]);
    expect(signed).toStrictEqual({
      lease: expect.any(String),
      renew_after: timestamp,
      expires_at: timestamp,
      file: out,
    });
    expect(readFileSync(out, 'utf8')).toBe(`${signed.lease}\n`);
    const [listed] = await admin.json<object[]>(['license', 'list']);
    expect(listed).toMatchObject({ id: license.id, devices: [{ device_id, device_name: 'Bench 4' }] });
    expect((await listEntries(admin)).slice(-2)).toMatchObject([
      { action: 'license.activate', actor: 'admin command' },
      { action: 'license.lease', actor: 'admin command', details: { device_id } },
    ]);

    const server = await startHttpServer(admin);
    const { body: jwks } = await server.request('GET', '/.well-known/jwks.json');
    const check = { jwks, deviceId: device_id, nowMs: Date.now(), subtle: crypto.subtle };
    expect(await verifyLease(signed.lease, check)).toMatchObject({ valid: true, claims: { sub: id, device_id } });

    // The next lease replaces the file without taking another place on the license.
    const next = await admin.json<{ lease: string }>(['lease', 'sign', request, '--out', out]);
    expect(next.lease).not.toBe(signed.lease);
    expect(readFileSync(out, 'utf8')).toBe(`${next.lease}\n`);
    const { stdout } = await admin.runHere(['lease', 'sign', request, '--out', out]);
    expect(stdout).toMatch(
      new RegExp(`^file +${out}\\ndevice id +${device_id}\\nkid +\\S+\\nrenew after +\\S+\\nexpires at +\\S+\\n$`),
    );
    expect(await admin.json(['license', 'list'])).toMatchObject([{ activations: 1 }]);
  });
});

describe('lease sign', () => {
  it('does not overwrite a device or pipe', async () => {
    const admin = createAdmin();
    await admin.createUser(email);
    const { license_key } = await issue(admin, '--email', email);
    const { request, out } = writeRequest({ license_key, device_id: newDeviceId() });
    spawnSync('mkfifo', [out]);
    expect(await admin.failure(['lease', 'sign', request, '--out', out])).toMatchObject({ code: 'NOT_FOUND' });
    expect(statSync(out).isFIFO()).toBe(true);
  });

  it('does not follow a link that somebody else created in the folder', () => {
    const folder = temporaryFolder();
    const [out, other] = [join(folder, 'device.lease'), join(folder, 'other')];
    writeFileSync(other, 'untouched');
    symlinkSync(other, `${out}.${process.pid}.new`);
    writeLease(out, 'a.b.c');
    expect([readFileSync(out, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['a.b.c\n', 'untouched']);
    expect(lstatSync(out).isFile()).toBe(true);
  });

  it('assigns a license without an owner to the named account, and is refused without one', async () => {
    const admin = createAdmin();
    await admin.createUser(email);
    const { license_key } = await issue(admin);
    const { request, out } = writeRequest({ license_key, device_id: newDeviceId() });
    expect(await admin.failure(['lease', 'sign', request, '--out', out])).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(existsSync(out)).toBe(false);
    await admin.json(['lease', 'sign', request, '--out', out, '--email', email]);
    expect(await admin.json(['license', 'list', '--email', email])).toMatchObject([{ activations: 1 }]);
    await admin.createUser('other@example.com');
    expect(await admin.failure(['lease', 'sign', request, '--out', out, '--email', 'other@example.com'])).toMatchObject(
      { code: 'LICENSE_NOT_FOUND' },
    );
  });

  it('is refused for a license that is inactive, full or unknown, and writes nothing', async () => {
    const admin = createAdmin();
    await admin.createUser(email);
    const { license_key, license } = await issue(admin, '--email', email, '--max-activations', '0');
    const { request, out } = writeRequest({ license_key, device_id: newDeviceId() });
    const refusal = async (file = request) => (await admin.failure(['lease', 'sign', file, '--out', out])).code;
    expect(await refusal()).toBe('MAX_ACTIVATIONS_REACHED');
    await admin.json(['license', 'set', license.id, '--status', 'revoked']);
    expect(await refusal()).toBe('LICENSE_INACTIVE');
    const unknown = writeRequest({ license_key: 'SVC-0000-0000-0000-0000', device_id: newDeviceId() });
    expect(await refusal(unknown.request)).toBe('LICENSE_NOT_FOUND');
    expect(existsSync(out)).toBe(false);
  });

  it.each([
    { content: '', field: 'JSON' },
    { content: 'no JSON', field: 'JSON' },
    { content: '[]', field: 'JSON' },
    { content: { license_key: 'SVC-0000-0000-0000-0000' }, field: 'device_id' },
    { content: { license_key: 'SVC-0000-0000-0000-0000', device_id: 'mine' }, field: 'device_id' },
    { content: { license_key: 7, device_id: newDeviceId() }, field: 'license_key' },
    { content: ' '.repeat(70_000), field: 'JSON' },
  ])('reports what is wrong with a request file: $field', async ({ content, field }) => {
    const { request, out } = writeRequest(content);
    const { code, error } = await createAdmin().failure(['lease', 'sign', request, '--out', out]);
    expect(code).toBe('VALIDATION_ERROR');
    expect(error).toContain(field);
  });

  it('activates nothing if the lease cannot be written, or the request is missing', async () => {
    const admin = createAdmin();
    await admin.createUser(email);
    const { license_key } = await issue(admin, '--email', email);
    const { request } = writeRequest({ license_key, device_id: newDeviceId() });
    const nowhere = join(temporaryFolder(), 'no-folder', 'device.lease');
    expect(await admin.failure(['lease', 'sign', request, '--out', nowhere])).toMatchObject({ code: 'NOT_FOUND' });
    expect(await admin.failure(['lease', 'sign', request, '--out', temporaryFolder()])).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await admin.failure(['lease', 'sign', nowhere, '--out', request])).toMatchObject({ code: 'NOT_FOUND' });
    expect(await admin.json(['license', 'list'])).toMatchObject([{ activations: 0 }]);
  });

  it('requires an output path, and the lease days of a plan are bounded', async () => {
    const admin = createAdmin();
    expect(await admin.failure(['plan', 'set', 'standard', '--lease-days', '9999'])).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});

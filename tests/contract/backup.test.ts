/** `admin backup`, `restore` and `check`: what was there works elsewhere, keys and tokens included. */
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiRoot } from '../../shared/api/endpoints.ts';
import { runAdmin } from '../harness/admin-command.ts';
import { limitsOff } from '../harness/environment.ts';
import { expectDocument, expectFailure } from '../harness/expect-command.ts';
import { type ServerProcess, startServer } from '../harness/start-server.ts';
import { makeTemporaryFolder, removeFolder } from '../harness/temporary-folder.ts';
import { callServer, stringIn } from '../harness/test-client.ts';
import { startedService } from '../harness/use-server.ts';
import { activate, issueLicense, type Person, signUp, subscriber } from '../harness/users.ts';

const service = startedService();
const folder = makeTemporaryFolder();
const backupFile = join(folder, 'backup');

type State = {
  person: Person;
  apiKey: string;
  licenseKey: string;
  deviceId: string;
  activationId: string;
  late: Person;
};
let state: State;
let report: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  const person = await subscriber(service);
  const apiKey = stringIn((await service.call('apiKey', { token: person.token })).body, 'api_key');
  const { key: licenseKey } = await issueLicense(service, '--email', person.email);
  const { deviceId, activationId } = await activate(service, person, licenseKey);
  await service.admin('installer', 'publish', '3.0.0', '--linux-amd64', `sha256:${'c'.repeat(64)}`);
  // The server runs all the while.
  report = expectDocument(await service.command(['backup', backupFile, '--json']));
  state = { person, apiKey, licenseKey, deviceId, activationId, late: await signUp(service) };
}, 60_000);

afterAll(() => removeFolder(folder));

const inFolder = (name: string) => ({ settings: { LATCHKEY_DATA: join(folder, name) } });

describe('a backup', () => {
  it('says what was written, and is for its owner alone', () => {
    expect(report).toMatchObject({ file: backupFile, bytes: statSync(backupFile).size });
    if (process.platform !== 'win32') expect(statSync(backupFile).mode & 0o077).toBe(0);
  });

  it('never replaces a file unasked', async () => {
    const before = readFileSync(backupFile);
    const { code, stdout } = await service.command(['backup', backupFile, '--json']);
    expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
    expect(readFileSync(backupFile).equals(before)).toBe(true);
  });

  it('can be taken again and again while requests are answered', async () => {
    const signUps = Array.from({ length: 20 }, () => signUp(service));
    const file = join(folder, 'busy');
    expectDocument(await service.command(['backup', file, '--json']));
    await Promise.all(signUps);
    expectDocument(await runAdmin(['restore', file, '--json'], inFolder('busy-restored')));
    expect(expectDocument(await runAdmin(['check', '--json'], inFolder('busy-restored')))).toMatchObject({ ok: true });
  });
});

describe('restored in another folder', () => {
  let server: ServerProcess;

  const call = (method: string, path: string, options?: Parameters<typeof callServer>[3]) =>
    callServer(server.url, method, apiRoot + path, options);

  beforeAll(async () => {
    expectDocument(await runAdmin(['restore', backupFile, '--json'], inFolder('restored')));
    server = await startServer({ ...limitsOff, LATCHKEY_DATA: join(folder, 'restored') });
  }, 60_000);

  afterAll(async () => {
    await server.stop();
  });

  it('an access token that was issued before opens the account', async () => {
    const { status, body } = await call('GET', '/subscription/status', { token: state.person.token });
    expect(status).toBe(200);
    expect(body).toMatchObject({ subscription: { plan: 'standard' }, license: { activations: 1 } });
  });

  it('the password signs in', async () => {
    const { email, password, id } = state.person;
    expect((await call('POST', '/auth/login', { body: { email, password } })).body).toMatchObject({ user: { id } });
  });

  it('the refresh token refreshes', async () => {
    const body = { refresh_token: state.person.refreshToken };
    expect((await call('POST', '/auth/refresh', { body })).status).toBe(200);
  });

  it('the API key validates', async () => {
    const { body } = await call('POST', '/metrics/api-key/validate', { body: { api_key: state.apiKey } });
    expect(body).toMatchObject({ valid: true, plan: 'standard' });
  });

  it('the license key is known, with its device', async () => {
    const body = { license_key: state.licenseKey, device_id: state.deviceId };
    const { token } = state.person;
    expect((await call('POST', '/license/validate', { token, body })).body).toMatchObject({
      valid: true,
      activations: 1,
      already_activated_on_device: true,
    });
    expect((await call('POST', '/license/activate', { token, body })).body.activation_id).toBe(state.activationId);
  });

  it('the installer hashes are published', async () => {
    expect((await call('GET', '/binary-hash')).body).toMatchObject({ version: '3.0.0' });
  });

  it('what came after the backup is not there', async () => {
    const { email, password } = state.late;
    expect((await call('POST', '/auth/login', { body: { email, password } })).body.code).toBe('USER_NOT_FOUND');
  });

  it('check finds nothing, also while the server runs', async () => {
    const found = expectDocument(await runAdmin(['check', '--json'], inFolder('restored')));
    expect(found).toMatchObject({ ok: true, problems: [] });
  });

  it('a restore over it is refused while the server runs', async () => {
    const { code, stdout, stderr } = await runAdmin(['restore', backupFile, '--json'], inFolder('restored'));
    expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
    expect(Object.keys(JSON.parse(stderr)).sort()).toStrictEqual(['code', 'error']);
    expect((await call('GET', '/subscription/status', { token: state.person.token })).status).toBe(200);
  });
});

describe('a restore over other data', () => {
  it('replaces it, and keeps what it replaced', async () => {
    const target = inFolder('replaced');
    const made = await runAdmin(['user', 'create', '--email', 'before@example.com', '--password-stdin', '--json'], {
      ...target,
      stdin: 'quiet harbour lantern 47',
    });
    expectDocument(made);
    const { replaced } = expectDocument(await runAdmin(['restore', backupFile, '--json'], target));
    expectFailure(await runAdmin(['user', 'show', 'before@example.com', '--json'], target), 'USER_NOT_FOUND');
    expectDocument(await runAdmin(['user', 'show', state.person.email, '--json'], target));
    expect(existsSync(String(replaced))).toBe(true);
  });
});

describe.concurrent('a restore of what is no backup', () => {
  it.each([
    ['is not there', () => undefined],
    ['is a text', (file: string) => writeFileSync(file, 'not a backup\n')],
    ['is empty', (file: string) => writeFileSync(file, '')],
    ['was cut', (file: string) => writeFileSync(file, readFileSync(backupFile).subarray(0, 20_000))],
    [
      'was changed in one byte',
      (file: string) => {
        copyFileSync(backupFile, file);
        const bytes = readFileSync(file);
        const middle = Math.floor(bytes.length / 2);
        bytes.writeUInt8((bytes.readUInt8(middle) + 1) % 256, middle);
        writeFileSync(file, bytes);
      },
    ],
  ])('touches nothing where the file %s', async (name, make) => {
    const file = join(folder, `damaged ${name}`);
    make(file);
    const target = inFolder(`untouched ${name}`);
    expectDocument(await runAdmin(['plan', 'set', 'kept', '--json'], target));
    const { code, stdout, stderr } = await runAdmin(['restore', file, '--json'], target);
    expect({ code, stdout }).toStrictEqual({ code: 1, stdout: '' });
    expect(Object.keys(JSON.parse(stderr)).sort()).toStrictEqual(['code', 'error']);
    const plans = expectDocument<{ name: string }[]>(await runAdmin(['plan', 'list', '--json'], target));
    expect(plans.map((plan) => plan.name)).toContain('kept');
  });
});

describe('check', () => {
  it('exits 1 and says what is wrong where the secrets are those of another database', async () => {
    const target = inFolder('mixed');
    expectDocument(await runAdmin(['restore', backupFile, '--json'], target));
    const other = inFolder('other');
    expectDocument(await runAdmin(['plan', 'list', '--json'], other));
    copyFileSync(join(folder, 'other', 'secrets.json'), join(folder, 'mixed', 'secrets.json'));
    const { code, stderr } = await runAdmin(['check', '--json'], target);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: expect.stringContaining('secrets'), code: expect.any(String) });
  });
});

/** The command line: alone on a profile, and beside an open window on the same one. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandLine } from './fixtures/command-line.ts';
import { expect, test } from './fixtures/test.ts';
import { activateElsewhere, apiToken, licenseState, prepareUser, signInAndActivate } from './fixtures/user.ts';

test.use({ serverSettings: { LATCHKEY_RATE_LOGIN: '0', LATCHKEY_RATE_LICENSE: '0' } });

test('without a window: sign in, activate, query features, and sign out, with the exit code of each answer', async ({
  folder,
  server,
}) => {
  const user = await prepareUser(server);
  const { run } = commandLine(folder, server.url);
  expect(await run(['feature', 'csv_export'])).toMatchObject({ code: 3, json: { on: false, reason: 'signed-out' } });
  expect(await run(['devices'])).toMatchObject({ code: 1, json: { code: 'NOT_SIGNED_IN' } });
  expect(await run(['sign-in', user.email, '--password-stdin'], 'wrong\n')).toMatchObject({
    code: 3,
    json: { code: 'INVALID_CREDENTIALS' },
    stdout: '',
  });
  const signedIn = await run(['sign-in', user.email, '--password-stdin'], `${user.password}\n`);
  expect(signedIn).toMatchObject({ code: 0, json: { account: { email: user.email, full_name: 'Ada' } }, stderr: '' });
  expect(await run(['activate', '--key-stdin'], `${user.licenseKey}\n`)).toMatchObject({
    code: 0,
    json: { activations: 1, max_activations: 3 },
  });
  expect(await run(['status'])).toMatchObject({
    code: 0,
    json: {
      window: false,
      session: 'signed-in',
      license: { state: 'works', plan: 'standard' },
      lease: { state: 'good', keys: 'first-use' },
      features: { csv_export: { on: true, reason: null }, mental_state_detection: { on: false, reason: 'plan' } },
    },
  });
  expect(await run(['feature', 'csv_export'])).toMatchObject({ code: 0, json: { on: true, decided_by: 'lease' } });
  expect(await run(['feature', 'mental_state_detection'])).toMatchObject({
    code: 3,
    json: { on: false, reason: 'plan', available_on: 'advanced' },
  });
  expect(await run(['feature', 'no_such_feature'])).toMatchObject({ code: 2 });
  const why = (await run(['why', 'csv_export'])).json as { chain: { check: string; result: string }[] }[];
  expect(why[0]?.chain.map(({ check }) => check)).toEqual([
    'session',
    'device',
    'license',
    'lease',
    'subscription',
    'plan',
    'clock',
    'server',
  ]);
  expect(await run(['devices'])).toMatchObject({ code: 0, json: [{ this_device: true, activity: 'active' }] });
  expect(await run(['sign-out'])).toMatchObject({ code: 0, json: { account: null } });
  expect(await run(['feature', 'csv_export'])).toMatchObject({ code: 3, json: { reason: 'signed-out' } });
});

test('an unreachable server is inconclusive, and the lease keeps everything on', async ({ folder, server }) => {
  const user = await prepareUser(server);
  const { run } = commandLine(folder, server.url);
  await run(['sign-in', user.email, '--password-stdin'], user.password);
  await run(['activate', user.licenseKey]);
  await server.stop();
  expect(await run(['status', '--check'])).toMatchObject({
    code: 4,
    json: { server: { reachable: false }, license: { state: 'offline' }, features: { csv_export: { on: true } } },
  });
  expect(await run(['devices'])).toMatchObject({ code: 4, json: { code: 'SERVER_UNREACHABLE' } });
});

test('an open window runs the command, and shows the effect immediately', async ({ desktop, folder, server }) => {
  const user = await prepareUser(server);
  const { run } = commandLine(folder, server.url);
  await signInAndActivate(desktop.page, user);
  expect(await run(['status'])).toMatchObject({ code: 0, json: { window: true, session: 'signed-in' } });
  const [device] = (await run(['devices'])).json as { activation_id: string }[];
  expect(await run(['devices', 'release', device?.activation_id ?? ''])).toMatchObject({ code: 0 });
  await expect(licenseState(desktop.page)).toContainText('not activated');
  expect(await run(['activate'])).toMatchObject({ code: 0, json: { activations: 1 } });
  await expect(licenseState(desktop.page)).toContainText('Everything works');
  await run(['sign-out']);
  await expect(desktop.page.getByRole('heading', { name: 'Sign in to Latchkey' })).toBeVisible();
});

test('at the device limit the failure lists the devices, and --replace releases one', async ({ folder, server }) => {
  const user = await prepareUser(server);
  const issue = ['license', 'issue', '--email', user.email, '--max-activations', '1'];
  const { license_key: licenseKey } = await server.admin(issue);
  await activateElsewhere(server, await apiToken(server, user), { licenseKey, number: 7, name: 'Old laptop' });
  const { run } = commandLine(folder, server.url);
  await run(['sign-in', user.email, '--password-stdin'], user.password);
  const refused = await run(['activate', licenseKey]);
  expect(refused).toMatchObject({ code: 3, stdout: '', json: { code: 'MAX_ACTIVATIONS_REACHED' } });
  const { devices } = refused.json as { devices: { activation_id: string; device_name: string }[] };
  expect(devices).toMatchObject([{ device_name: 'Old laptop' }]);
  const replaced = await run(['activate', licenseKey, '--replace', devices[0]?.activation_id ?? '']);
  expect(replaced).toMatchObject({ code: 0, json: { activations: 1, max_activations: 1 } });
  expect(await run(['devices'])).toMatchObject({ json: [{ this_device: true }] });
});

test('several simultaneous commands on one profile each get their answer', async ({ folder, server }) => {
  const user = await prepareUser(server);
  const { run } = commandLine(folder, server.url);
  await run(['sign-in', user.email, '--password-stdin'], user.password);
  const results = await Promise.all([
    run(['activate', user.licenseKey]),
    run(['status']),
    run(['devices']),
    run(['feature', 'csv_export']),
    run(['lease', 'show']),
  ]);
  expect(results.map(({ code }) => code)).not.toContain(1);
  expect(await run(['status'])).toMatchObject({ json: { license: { state: 'works' }, store: { unreadable: [] } } });
});

test('an answer file for a machine that is never online turns everything on without a sign-in', async ({
  folder,
  server,
}) => {
  const user = await prepareUser(server);
  const jwks = await (await fetch(`${server.url}/.well-known/jwks.json`)).text();
  const keys = join(folder, 'keys.json');
  await writeFile(keys, jwks);
  const { run } = commandLine(folder, 'http://127.0.0.1:9', { LATCHKEY_LEASE_KEYS: keys });
  const { device } = (await run(['status'])).json as { device: { device_id: string } };
  await writeFile(
    join(folder, 'request.json'),
    JSON.stringify({ license_key: user.licenseKey, device_id: device.device_id, device_name: 'Bench', platform: 'x' }),
  );
  const answer = join(folder, 'bench.lease');
  await server.admin(['lease', 'sign', join(folder, 'request.json'), '--out', answer]);
  expect(await run(['lease', 'import', answer])).toMatchObject({
    code: 0,
    json: { lease: { state: 'good', keys: 'file' } },
  });
  expect(await run(['status'])).toMatchObject({ json: { session: 'signed-out', license: { state: 'works' } } });
  expect(await run(['feature', 'csv_export'])).toMatchObject({ code: 0 });
  await writeFile(answer, 'not a lease');
  expect(await run(['lease', 'import', answer])).toMatchObject({ code: 3, json: { problem: 'malformed' } });
  expect(await run(['lease', 'import', join(folder, 'nothing')])).toMatchObject({
    code: 1,
    json: { code: 'FILE_UNREADABLE' },
  });
});

test('the other commands: rename, request, doctor, scan, support and open', async ({ folder, server }) => {
  const user = await prepareUser(server);
  const { run } = commandLine(folder, server.url);
  await run(['sign-in', user.email, '--password-stdin'], user.password);
  await run(['activate', user.licenseKey]);
  expect(await run(['devices', 'rename', 'Bench 7'])).toMatchObject({ code: 0, json: { device: { name: 'Bench 7' } } });
  expect(await run(['devices'])).toMatchObject({ json: [{ device_name: 'Bench 7', this_device: true }] });

  const out = join(folder, 'request.json');
  const requested = await run(['lease', 'request', '--out', out, '--qr']);
  expect(requested).toMatchObject({ code: 0, json: { file: out, request: { device_name: 'Bench 7' } } });
  expect(requested.stdout).not.toContain(user.licenseKey);
  expect(JSON.parse(await readFile(out, 'utf8'))).toMatchObject({ license_key: user.licenseKey });
  expect((await stat(out)).mode & 0o777).toBe(0o600);

  const doctor = await run(['doctor']);
  expect(doctor.code).toBe(0);
  expect((doctor.json as { steps: { step: string }[] }).steps.map(({ step }) => step)).toEqual(
    'address dns tcp tls proxy clock api session license seat'.split(' '),
  );

  const leaked = join(folder, 'leaked.txt');
  await writeFile(leaked, `first line\nkey = ${user.licenseKey}\n`);
  expect(await run(['scan', leaked])).toMatchObject({
    code: 3,
    json: [{ file: leaked, line: 2, column: 7, kind: 'license_key', reported: false }],
  });
  expect(await run(['scan', '-'], 'nothing here')).toMatchObject({ code: 0, json: [] });
  expect(await run(['scan', '-'], user.licenseKey)).toMatchObject({ code: 3, json: [{ file: '-' }] });
  expect(await run(['scan', join(folder, 'missing')])).toMatchObject({ code: 1, json: { code: 'FILE_UNREADABLE' } });

  const support = join(folder, 'support.json');
  expect(await run(['support', '--out', support, '--days', '1'])).toMatchObject({ code: 0, json: { file: support } });
  const text = await readFile(support, 'utf8');
  for (const secret of [user.licenseKey, user.email, user.password]) expect(text).not.toContain(secret);
  expect(await run(['support', '--out', join(folder, 'missing', 'x.json')])).toMatchObject({
    code: 1,
    json: { code: 'FILE_NOT_WRITTEN' },
  });

  expect(await run(['open', 'latchkey://open/devices'])).toMatchObject({ code: 1, json: { code: 'NO_WINDOW' } });
  expect(await run(['open', 'https://example.org'])).toMatchObject({ code: 2 });
});

test('with --json, help and version are documents too, and a missing command is an error message', async ({
  folder,
  server,
}) => {
  const { run } = commandLine(folder, server.url);
  expect(await run(['--version'])).toMatchObject({ code: 0, json: { version: expect.stringMatching(/^\d+\.\d+/) } });
  for (const words of [['--help'], ['help'], ['lease', '--help']]) {
    expect(await run(words)).toMatchObject({ code: 0, stderr: '', json: { help: expect.stringContaining('Usage:') } });
  }
  for (const words of [[], ['lease']]) {
    const error = 'Give a command. --help lists them.';
    expect(await run(words)).toMatchObject({ code: 2, stdout: '', json: { error, code: 'USAGE' } });
  }
});

test('findings are printed even if the scan is incomplete', async ({ folder, server }) => {
  const user = await prepareUser(server);
  const { run } = commandLine(folder, server.url);
  const files = join(folder, 'files');
  await mkdir(files);
  await writeFile(join(files, 'image'), '\0');
  const empty = await run(['scan', files]);
  expect({ ...empty, json: JSON.parse(empty.stdout) }).toMatchObject({ code: 4, json: [] });
  expect(JSON.parse(empty.stderr)).toMatchObject({ code: 'SCAN_INCOMPLETE', skipped: 1 });
  await writeFile(join(files, 'key'), user.licenseKey);
  expect(await run(['scan', files])).toMatchObject({ code: 3, stderr: '', json: [{ kind: 'license_key' }] });
});

test('a failed write is reported, a closed reader is no error, and neither leaves anything behind', async ({
  folder,
  server,
}) => {
  const user = await prepareUser(server);
  const temporary = join(folder, 'temporary');
  await mkdir(temporary);
  const { run, runInto } = commandLine(folder, server.url, { TMPDIR: temporary });
  expect(await runInto('nobody', ['status', '--json'])).toEqual({ code: 0, stderr: '' });
  expect(await runInto('nobody', ['scan', '-'], user.licenseKey)).toEqual({ code: 3, stderr: '' });
  const full = await runInto({ file: '/dev/full' }, ['status', '--json']);
  expect({ ...full, json: JSON.parse(full.stderr) }).toMatchObject({ code: 1, json: { code: 'FILE_NOT_WRITTEN' } });
  expect(await readdir(temporary)).toEqual([]);
  // Like a pipe of the shell, or a device.
  for (const out of ['/dev/stderr', '/dev/full', folder]) {
    expect(await run(['support', '--out', out])).toMatchObject({ code: 1, json: { code: 'FILE_NOT_WRITTEN' } });
  }
  expect((await stat('/dev/full')).isCharacterDevice()).toBe(true);
});

test('a link that is opened from the terminal is shown in the open window', async ({ desktop, folder, server }) => {
  const user = await prepareUser(server);
  const { run } = commandLine(folder, server.url);
  await signInAndActivate(desktop.page, user);
  expect(await run(['open', 'latchkey://open/settings'])).toMatchObject({ code: 0, json: { handed_to: 'window' } });
  await expect(desktop.page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
});

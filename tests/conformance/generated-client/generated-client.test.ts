/** A client that `openapi-typescript` generates from the documents of a running server: its types, and the calls of the contract suite. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiRoot, type Endpoint, endpoints } from '../../../shared/api/endpoints.ts';
import { Admin } from '../../harness/admin.ts';
import { repository } from '../../harness/environment.ts';
import { type HttpServer, openHttpServer } from '../../harness/http-server.ts';
import { type OidcProvider, openOidcProvider } from '../../harness/oidc-provider.ts';
import { SmtpServer } from '../../harness/smtp-server.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';
import { onceStarted } from '../../harness/test-server.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';
import { adminEndpointSettings, callEveryAdminEndpoint } from '../every-admin-endpoint.ts';
import { callEveryEndpoint, needMailServer } from '../every-endpoint.ts';
import { generateTypes } from './generate-types.ts';
import { throughGeneratedClient } from './generated-server.ts';

const timeoutMs = 240_000;
const dataFolder = makeTemporaryFolder();
const smtp = new SmtpServer();
let provider: OidcProvider | undefined;
let running: HttpServer | undefined;
const server = onceStarted(() => running);
const generated = onceStarted(() => (running === undefined ? undefined : throughGeneratedClient(running)));

beforeAll(async () => {
  await smtp.start();
  provider = await openOidcProvider();
  const settings = { ...adminEndpointSettings, ...provider.settings, LATCHKEY_SMTP_URL: smtp.url };
  running = await openHttpServer(new Admin(dataFolder, settings));
}, timeoutMs);
afterAll(async () => {
  await running?.stop();
  await smtp.stop();
  await provider?.stop();
  removeFolder(dataFolder);
}, timeoutMs);

it('accepts what the endpoint tables accept, promises what they promise, and refuses what is wrong', {
  timeout: timeoutMs,
}, async () => {
  const folder = join(repository, '.cache/generated-client');
  mkdirSync(folder, { recursive: true });
  for (const [name, path] of [
    ['interface', 'openapi.json'],
    ['admin', 'admin/openapi.json'],
  ]) {
    const { text } = await server.request('GET', `${apiRoot}/${path}`);
    writeFileSync(join(folder, `${name}.d.ts`), await generateTypes(text));
  }
  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  const checked = promisify(execFile)(process.execPath, [compiler, '-p', import.meta.dirname]);
  expect(
    await checked.then(
      () => '',
      ({ stdout }) => stdout,
    ),
  ).toBe('');
});

it('makes the calls of the contract suite, with the same results', { timeout: timeoutMs }, () =>
  callEveryEndpoint(generated),
);

it('calls what needs mail', { timeout: timeoutMs }, async () => {
  const { email, token } = await signUp(generated);
  const called = new Set<string>();
  const call = async (name: (typeof needMailServer)[number], body?: object) => {
    const response = await generated.call(name, { token, ...(body ? { body } : {}) });
    expect(response.status, `${name}: ${response.text}`).toBe(200);
    expect(response.body, name).toStrictEqual((endpoints[name] as Endpoint).response.parse(response.body));
    called.add(name);
  };
  const tokenTo = async (address: string, page: 'confirm' | 'reset', count?: number) => {
    const mails = await smtp.waitFor(address, count);
    return mails.map(({ text }) => new RegExp(`/${page}#token=([\\w-]+)`).exec(text)?.[1]).find((each) => each);
  };
  await call('emailStatus');
  await call('sendEmailConfirmation');
  const next = newEmail();
  await call('changeEmail', { email: next, password: goodPassword });
  await call('confirmEmail', { token: await tokenTo(next, 'confirm') });
  await call('forgotPassword', { email: next });
  await call('resetPassword', { token: await tokenTo(next, 'reset', 2), new_password: `${goodPassword} 2` });
  expect(email).not.toBe(next);
  expect([...called].sort()).toStrictEqual([...needMailServer].sort());
});

it('calls every endpoint of the admin page', { timeout: timeoutMs }, () => callEveryAdminEndpoint(generated));

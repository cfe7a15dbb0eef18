/** The example in shared/api/README.md, run as written against a server. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { findExamples } from '../../docs/readme-examples.ts';
import { sharedHttpServer } from '../../harness/http-server.ts';
import { stringIn } from '../../harness/test-client.ts';
import { activate, issueLicense, newDeviceId, signUp } from '../../harness/users.ts';

const root = join(import.meta.dirname, '../../..');
const server = sharedHttpServer();

type Example = { planOf(lease: string, deviceId: string): Promise<string> };

/** Changes only the address of the server and the path to `shared/`. */
async function loadExample(): Promise<Example> {
  const [code = ''] = findExamples(readFileSync(join(root, 'shared/api/README.md'), 'utf8'));
  const changed = code
    .replace("'../shared/", `'${pathToFileURL(join(root, 'shared/')).href}`)
    .replace('https://licenses.example.com', server.url);
  expect(changed).toContain(server.url);
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache/lease-example-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'example.ts'), changed);
  return import(pathToFileURL(join(folder, 'example.ts')).href);
}

it('prints the plan of the device, and rejects the lease on another one', async () => {
  const user = await signUp(server);
  const { key } = await issueLicense(server, '--email', user.email, '--plan', 'advanced');
  const { deviceId } = await activate(server, user, key);
  const { body } = await server.call('lease', { token: user.token, body: { device_id: deviceId } });
  const { planOf } = await loadExample();
  const lease = stringIn(body, 'lease');
  expect(await planOf(lease, deviceId)).toBe('advanced');
  await expect(planOf(lease, newDeviceId())).rejects.toThrow('other_device');
});

/** Two clients of one process on one folder would sign each other out, so the second one is refused. */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createLicensingClient } from '../../../electron/package/create-licensing-client.ts';
import { createNodePlatform } from '../../../electron/package/create-node-platform.ts';
import { temporaryFolder } from '../temporary-folder.ts';

vi.mock('electron', () => ({}));

async function create(folder: string, server = 'https://licenses.example.org') {
  const platform = await createNodePlatform({ folder });
  return createLicensingClient({ platform, server, app: { name: 'Sketcher', version: '1.0.0' } });
}

it('a second client of a folder is refused, also if the folder is named by another path, until the first one stops', async () => {
  const folder = temporaryFolder();
  const link = join(temporaryFolder(), 'link');
  symlinkSync(folder, link, 'junction');
  const first = await create(folder);
  await expect(create(folder)).rejects.toThrow('Stop that client first');
  await expect(create(link)).rejects.toThrow('Stop that client first');
  await first.stop();
  const second = await create(link);
  await second.stop();
});

it('a second client of one platform is refused too', async () => {
  const platform = await createNodePlatform({ folder: temporaryFolder() });
  const options = { platform, server: 'https://licenses.example.org', app: { name: 'Sketcher', version: '1.0.0' } };
  const first = createLicensingClient(options);
  expect(() => createLicensingClient(options)).toThrow('Stop that client first');
  await first.stop();
  await createLicensingClient(options).stop();
});

it('a client that is stopped again does not free the folder that another one uses by now', async () => {
  const folder = temporaryFolder();
  const first = await create(folder);
  await first.stop();
  const second = await create(folder);
  await first.stop();
  await expect(create(folder)).rejects.toThrow('Stop that client first');
  await second.stop();
});

it('a client that could not be created does not use the folder', async () => {
  const folder = temporaryFolder();
  await expect(create(folder, 'http://licenses.example.org')).rejects.toThrow(TypeError);
  await (await create(folder)).stop();
});

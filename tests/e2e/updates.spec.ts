/**
 * Updates of the app in its own window and on its command line: the browser host finds them but leaves the installation
 * to others.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newPublisherKey, writeManifest, writeReleaseFile } from '../harness/releases.ts';
import { commandLine } from './fixtures/command-line.ts';
import { expect, test } from './fixtures/test.ts';

const { version: current } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

test('the command line reports the available update, with the exit code of each answer', async ({ folder, server }) => {
  const key = newPublisherKey();
  const keys = join(folder, 'update-keys.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(keys, JSON.stringify({ keys: [key.publicJwk] }));
  const { run } = commandLine(folder, server.url, { LATCHKEY_UPDATE_KEYS: keys });
  const publish = async (version: string) => {
    const paths = [
      writeReleaseFile(folder, version, 'App.AppImage', version),
      writeReleaseFile(folder, version, 'App-arm64.AppImage', version),
    ] as const;
    const manifest = await writeManifest(version, [...paths], { key });
    const files = ['--linux-amd64', paths[0], '--linux-arm64', paths[1], '--manifest', manifest];
    await server.admin(['installer', 'publish', version, '--feed', ...files]);
  };
  const nothing = { current, available: null, staged: null };
  expect(await run(['updates', 'check'])).toMatchObject({ code: 4, json: { ...nothing, reason: 'not-published' } });
  await publish(current);
  expect(await run(['updates', 'check'])).toMatchObject({ code: 3, json: { ...nothing, reason: 'up-to-date' } });
  expect(await run(['updates', 'install'])).toMatchObject({ code: 3, json: { ...nothing, reason: 'up-to-date' } });
  await publish('99.0.0');
  expect(await run(['updates', 'check'])).toMatchObject({
    code: 0,
    json: { current, available: '99.0.0', staged: null, reason: 'not-packaged' },
  });
  expect(await run(['updates', 'install'])).toMatchObject({ code: 1, json: { code: 'UPDATE_UNAVAILABLE' } });
  writeFileSync(keys, JSON.stringify({ keys: [] }));
  expect(await run(['updates', 'check'])).toMatchObject({ code: 4, json: { ...nothing, reason: 'refused' } });
  await server.stop();
  expect(await run(['updates', 'check'])).toMatchObject({ code: 4, json: { ...nothing, reason: 'unreachable' } });
});

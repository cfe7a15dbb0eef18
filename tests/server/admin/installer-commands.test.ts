/** `installer`: files are hashed, and all published hashes are of one version. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createAdmin, runScript } from '../../harness/run-admin.ts';

const hashOf = (content: string) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

it('publish hashes files, keeps the other platforms of the same version, and drops those of another', async () => {
  const admin = createAdmin();
  const file = join(admin.folder, 'Latchkey 1.0.AppImage');
  writeFileSync(file, 'an installer');
  const linux = await admin.json(['installer', 'publish', '1.0.0', '--linux-amd64', file]);
  expect(linux).toEqual({
    version: '1.0.0',
    hashes: { linux_amd64: hashOf('an installer') },
    updated_at: expect.any(String),
  });

  const windows = await admin.json([
    'installer',
    'publish',
    '1.0.0',
    '--windows-x64',
    hashOf('exe').toUpperCase().replace('SHA', 'sha'),
  ]);
  expect(windows.hashes).toEqual({ windows_x64: hashOf('exe'), linux_amd64: hashOf('an installer') });

  const next = await admin.json(['installer', 'publish', '1.1.0', '--macos-arm64', hashOf('dmg')]);
  expect(next).toMatchObject({ version: '1.1.0', hashes: { macos_arm64: hashOf('dmg') } });
  expect(Object.keys(next.hashes ?? {})).toEqual(['macos_arm64']);

  const cleared = await admin.json(['installer', 'clear']);
  expect(cleared).toEqual({ version: null, hashes: {}, updated_at: null });
});

it('a file that cannot be read publishes nothing', async () => {
  const admin = createAdmin();
  const kept = await admin.json(['installer', 'publish', '1.0.0', '--linux-amd64', hashOf('kept')]);
  for (const file of [join(admin.folder, 'missing'), admin.folder]) {
    const words = ['installer', 'publish', '2.0.0', '--linux-amd64', file];
    expect(await admin.failure(words)).toEqual({ error: expect.stringContaining(file), code: 'NOT_FOUND' });
  }
  const again = await admin.json(['installer', 'publish', '1.0.0', '--macos-arm64', hashOf('more')]);
  expect(again.hashes).toMatchObject(kept.hashes ?? {});
});

it('a file name is relative to the folder of the caller, also through npm', async () => {
  const admin = createAdmin();
  writeFileSync(join(admin.folder, 'setup.exe'), 'relative');
  const words = ['installer', 'publish', '1.0.0', '--windows-x64', 'setup.exe', '--json'];
  const environment = { LATCHKEY_DATA: join(admin.folder, 'data') };
  const direct = await runScript('server/admin/admin.ts', words, { environment, cwd: admin.folder });
  expect(JSON.parse(direct.stdout).hashes).toEqual({ windows_x64: hashOf('relative') });

  const byNpm = { ...environment, npm_lifecycle_event: 'admin', INIT_CWD: admin.folder };
  const moved = await runScript('server/admin/admin.ts', words, { environment: byNpm });
  expect(JSON.parse(moved.stdout).hashes).toEqual({ windows_x64: hashOf('relative') });
});

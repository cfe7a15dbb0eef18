/** Creating a folder always ends, even if none can be created. */
import { spawnSync } from 'node:child_process';
import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../../../electron/platform/create-folder.ts';
import { temporaryFolder } from '../temporary-folder.ts';

describe('creating a folder', () => {
  it('also creates its parents, for the owner only, and accepts one that exists', () => {
    const top = join(temporaryFolder(), 'a');
    for (let round = 0; round < 2; round++) createFolder(join(top, 'b', 'c'));
    for (const path of [top, join(top, 'b'), join(top, 'b', 'c')]) expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  it('fails if a file is in the way', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'));
    for (const path of ['file', 'file/x', 'dangling', 'dangling/x']) {
      expect(() => createFolder(join(folder, path))).toThrow(/EEXIST|ENOENT|ENOTDIR/);
    }
  });

  // In a separate process, so that a busy loop cannot block the tests.
  it.runIf(process.platform === 'linux').each(['/proc/latchkey', '/proc/latchkey/a/b', '/sys/latchkey', '/dev/null/x'])(
    'fails within seconds for %s, where no folder can be created',
    (path) => {
      const module = pathToFileURL(join(import.meta.dirname, '../../../electron/platform/create-folder.ts'));
      const code = `import { createFolder } from '${module}'; createFolder('${path}');`;
      const { status, signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
        timeout: 120_000,
        encoding: 'utf8',
      });
      expect({ status, signal }).toEqual({ status: 1, signal: null });
      expect(stderr).toMatch(/Error: E[A-Z]+: .*mkdir/);
    },
  );
});

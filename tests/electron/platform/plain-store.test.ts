/** The plain store keeps texts across restarts and quarantines a damaged file. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

const shim = new URL('../../../electron/host/shim/electron.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' ? { url: shim, shortCircuit: true } : next(specifier, context),
});
const { FilePlainStore } = await import('../../../electron/platform/plain-store.ts');

const now = () => Date.UTC(2026, 0, 2, 3, 4, 5);

describe('the plain store', () => {
  it('reads what was written, also after a restart and under a name with dots', async () => {
    const folder = temporaryFolder();
    const store = await FilePlainStore.open({ folder, now });
    expect(await store.read('a.b')).toEqual({ kind: 'absent' });
    await store.write('a.b', 'x');
    expect(await (await FilePlainStore.open({ folder, now })).read('a.b')).toEqual({ kind: 'value', value: 'x' });
  });

  it('keeps a value that is set aside under another name, also after a restart', async () => {
    const folder = temporaryFolder();
    const store = await FilePlainStore.open({ folder, now });
    await store.write('preferences', 'x');
    await store.write('window', 'y');
    await store.setAside('preferences');
    await store.setAside('none');
    const again = await FilePlainStore.open({ folder, now });
    expect(await again.read('preferences')).toEqual({ kind: 'absent' });
    expect(await again.read('window')).toEqual({ kind: 'value', value: 'y' });
    const name = 'preferences.unreadable-2026-01-02T03-04-05-000Z';
    expect(await again.read(name)).toEqual({ kind: 'value', value: 'x' });
  });

  it.skipIf(process.platform === 'win32')(
    'does not wait for a pipe in place of its file, and replaces it',
    async () => {
      const folder = temporaryFolder();
      const path = join(folder, 'settings.json');
      execFileSync('mkfifo', [path]);
      // A thread that waits for the pipe can do nothing else, not even end the test.
      const opened = join(folder, 'opened-by-writer');
      const writer = spawn('sh', ['-c', 'sleep 10; test -p "$0" && : > "$1" && : > "$0"', path, opened]);
      onTestFinished(() => void writer.kill());
      const store = await FilePlainStore.open({ folder, now });
      expect(existsSync(opened)).toBe(false);
      await store.write('a', 'x');
      expect(readFileSync(path, 'utf8')).toContain('"a"');
    },
  );

  it.each(['{"a":', '', 'null', '[]', '"text"', '5'])(
    'quarantines a file with %j and starts empty',
    async (content) => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, 'settings.json'), content);
      const store = await FilePlainStore.open({ folder, now });
      expect(await store.read('a')).toEqual({ kind: 'absent' });
      await store.write('a', 'x');
      const quarantined = readdirSync(folder).find((name) => name.includes('.unreadable-')) ?? '';
      expect(readFileSync(join(folder, quarantined), 'utf8')).toBe(content);
      expect(await store.unreadable()).toEqual([quarantined]);
    },
  );
});

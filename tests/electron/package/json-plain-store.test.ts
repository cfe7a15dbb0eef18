/** The plain store of the package keeps texts across restarts and quarantines a damaged file. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { JsonPlainStore } from '../../../electron/package/json-plain-store.ts';
import { createPipe } from '../pipe.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const now = () => Date.UTC(2026, 0, 2, 3, 4, 5);
const absent = { kind: 'absent' };

describe('the plain store of the package', () => {
  it('reads what was written, also after a restart and under a name that every object has', async () => {
    const folder = temporaryFolder();
    const store = await JsonPlainStore.open({ folder, now });
    expect(await store.read('toString')).toEqual(absent);
    await Promise.all([store.write('a.b', 'x'), store.write('toString', 'y')]);
    const again = await JsonPlainStore.open({ folder, now });
    expect(await again.read('a.b')).toEqual({ kind: 'value', value: 'x' });
    expect(await again.read('toString')).toEqual({ kind: 'value', value: 'y' });
  });

  it('keeps a value that is set aside under another name, also after a restart', async () => {
    const folder = temporaryFolder();
    const store = await JsonPlainStore.open({ folder, now });
    await store.write('preferences', 'x');
    await store.write('window', 'y');
    await store.setAside('preferences');
    await store.setAside('none');
    const again = await JsonPlainStore.open({ folder, now });
    expect(await again.read('preferences')).toEqual(absent);
    expect(await again.read('window')).toEqual({ kind: 'value', value: 'y' });
    const name = 'preferences.unreadable-2026-01-02T03-04-05-000Z';
    expect(await again.read(name)).toEqual({ kind: 'value', value: 'x' });
  });

  it.skipIf(process.platform === 'win32')(
    'does not wait for a pipe in place of its file, and replaces it',
    async () => {
      const folder = temporaryFolder();
      createPipe(join(folder, 'settings.json'));
      const store = await JsonPlainStore.open({ folder, now });
      await store.write('a', 'x');
      expect(await (await JsonPlainStore.open({ folder, now })).read('a')).toEqual({ kind: 'value', value: 'x' });
    },
  );

  it.each(['{"a":', '{"a":1}', '[]'])('quarantines a file that contains %s, and starts empty', async (damaged) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'settings.json'), damaged);
    const store = await JsonPlainStore.open({ folder, now });
    expect(await store.read('a')).toEqual(absent);
    await store.write('a', 'x');
    const quarantined = readdirSync(folder).find((name) => name.includes('.unreadable-')) ?? '';
    expect(readFileSync(join(folder, quarantined), 'utf8')).toBe(damaged);
  });

  it('removes the remains of an interrupted write', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '.0123456789abcdef.new'), '{"half');
    await JsonPlainStore.open({ folder, now });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('reads the old text after a failed write, and continues to write', async () => {
    const folder = temporaryFolder();
    const store = await JsonPlainStore.open({ folder, now });
    mkdirSync(join(folder, 'settings.json'));
    await expect(store.write('a', 'x')).rejects.toThrow();
    expect(await store.read('a')).toEqual(absent);
    expect(readdirSync(folder)).toEqual(['settings.json']);
  });
});

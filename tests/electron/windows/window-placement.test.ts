/** The window is restored to its previous position, if that is still on a screen. */
import { describe, expect, it, vi } from 'vitest';
import type { PlainStore } from '../../../electron/licensing/platform.ts';
import { readWindowPlacement, writeWindowPlacement } from '../../../electron/windows/window-placement.ts';
import { createFakePlatform } from '../fake-platform.ts';

const screens = [
  { x: 0, y: 0, width: 1920, height: 1080 },
  { x: 1920, y: 0, width: 1280, height: 1024 },
];

function storeWith(value: string | null): PlainStore {
  return {
    read: async () => (value === null ? { kind: 'absent' } : { kind: 'value', value }),
    write: vi.fn(async () => {}),
    setAside: async () => {},
  };
}

const stored = (x: number, y: number, maximized = false) =>
  JSON.stringify({ bounds: { x, y, width: 800, height: 600 }, maximized });

const { log } = createFakePlatform();

describe('the placement of the window', () => {
  it('is not stored if the store fails, e.g. because the disk is full, which nothing else suffers from', async () => {
    const failing = async () => Promise.reject(new Error('ENOSPC'));
    for (const store of [
      { ...storeWith(null), write: failing },
      { ...storeWith('{'), setAside: failing },
    ]) {
      await expect(writeWindowPlacement(store, log, { bounds: null, maximized: true })).resolves.toBeUndefined();
    }
  });

  it('is set aside if it cannot be read, before another one is stored', async () => {
    const store = { ...storeWith('{"bounds":'), setAside: vi.fn(async () => {}) };
    await writeWindowPlacement(store, log, { bounds: null, maximized: true });
    expect(store.setAside).toHaveBeenCalledWith('window');
    expect(store.write).toHaveBeenCalledTimes(1);
  });

  it.each([
    [100, 100],
    [2000, 200],
    [-700, 50],
    [1800, 950],
  ])('is restored at %d, %d', async (x, y) => {
    const placement = await readWindowPlacement(storeWith(stored(x, y, true)), screens);
    expect(placement).toEqual({ bounds: { x, y, width: 800, height: 600 }, maximized: true });
  });

  it.each([
    ['of which too little is on a screen', -790, 0, { x: 560, y: 240 }],
    ['whose screen on the right is gone', 5000, 100, { x: 2160, y: 212 }],
    ['below every screen', 100, 1070, { x: 560, y: 240 }],
    ['whose upper edge is above every screen, where nobody can drag it', 100, -20, { x: 560, y: 240 }],
  ])('%s is centered on the nearest screen, in its previous size', async (_where, x, y, middle) => {
    const { bounds } = await readWindowPlacement(storeWith(stored(x, y)), screens);
    expect(bounds).toEqual({ ...middle, width: 800, height: 600 });
  });

  it('is shrunk to fit if its screen was replaced by a smaller one', async () => {
    const small = [{ x: 0, y: 25, width: 640, height: 455 }];
    const { bounds } = await readWindowPlacement(storeWith(stored(1000, 900)), small);
    expect(bounds).toEqual(small[0]);
  });

  it('is the default if there is no screen', async () => {
    expect((await readWindowPlacement(storeWith(stored(0, 0)), [])).bounds).toBeNull();
  });

  it.each(['', 'null', '{', '{"bounds":{"x":"1"}}', '{"bounds":{"x":1,"y":1,"width":0,"height":0},"maximized":true}'])(
    'is the default if %j was stored',
    async (text) => {
      expect(await readWindowPlacement(storeWith(text), screens)).toEqual({ bounds: null, maximized: false });
    },
  );

  it('is read as it was written', async () => {
    const store = storeWith(null);
    const placement = { bounds: { x: 1, y: 2, width: 800, height: 600 }, maximized: false };
    await writeWindowPlacement(store, log, placement);
    const [, text] = vi.mocked(store.write).mock.calls[0] ?? [];
    expect(await readWindowPlacement(storeWith(text ?? null), screens)).toEqual(placement);
  });
});

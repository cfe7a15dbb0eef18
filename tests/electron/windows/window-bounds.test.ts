/** The window comes back where it was, as long as that place is still on a screen. */
import { describe, expect, it, vi } from 'vitest';
import type { PlainStore } from '../../../electron/licensing/platform.ts';
import { readWindowPlace, writeWindowPlace } from '../../../electron/windows/window-bounds.ts';

const screens = [
  { x: 0, y: 0, width: 1920, height: 1080 },
  { x: 1920, y: 0, width: 1280, height: 1024 },
];

function storeWith(value: string | null): PlainStore {
  return {
    read: async () => (value === null ? { kind: 'absent' } : { kind: 'value', value }),
    write: vi.fn(async () => {}),
  };
}

const saved = (x: number, y: number, maximized = false) =>
  JSON.stringify({ bounds: { x, y, width: 800, height: 600 }, maximized });

describe('the place of the window', () => {
  it.each([
    [100, 100],
    [2000, 200],
    [-700, 50],
    [1800, 950],
  ])('at %d, %d is taken again', async (x, y) => {
    const place = await readWindowPlace(storeWith(saved(x, y, true)), screens);
    expect(place).toEqual({ bounds: { x, y, width: 800, height: 600 }, maximized: true });
  });

  it.each([
    [-790, 0],
    [5000, 100],
    [100, 1050],
    [100, -590],
  ])('at %d, %d is on no screen any more', async (x, y) => {
    expect((await readWindowPlace(storeWith(saved(x, y)), screens)).bounds).toBeNull();
  });

  it.each(['', 'null', '{', '{"bounds":{"x":"1"}}', '{"bounds":{"x":1,"y":1,"width":0,"height":0},"maximized":true}'])(
    'that was kept as %j is none',
    async (text) => {
      expect(await readWindowPlace(storeWith(text), screens)).toEqual({ bounds: null, maximized: false });
    },
  );

  it('is kept as it is read', async () => {
    const store = storeWith(null);
    const place = { bounds: { x: 1, y: 2, width: 800, height: 600 }, maximized: false };
    await writeWindowPlace(store, place);
    const [, text] = vi.mocked(store.write).mock.calls[0] ?? [];
    expect(await readWindowPlace(storeWith(text ?? null), screens)).toEqual(place);
  });
});

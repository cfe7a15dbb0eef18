/**
 * One-time notifications are remembered, across restarts unless the store fails, and an unreadable document is kept.
 */
import { expect, test, vi } from 'vitest';
import { Announced } from '../../electron/announced.ts';
import type { PlainStore, StoreRead } from '../../electron/licensing/platform.ts';
import { createFakePlatform } from './fake-platform.ts';

const { log } = createFakePlatform();

function storeWith(text: string | null): PlainStore & { text: string | null } {
  const store = {
    text,
    read: async (): Promise<StoreRead> =>
      store.text === null ? { kind: 'absent' } : { kind: 'value', value: store.text },
    write: vi.fn(async (_name: string, value: string) => {
      store.text = value;
    }),
    setAside: vi.fn(async () => {}),
  };
  return store;
}

test('an announced notification is still known after a restart', async () => {
  const store = storeWith(null);
  const first = await Announced.load(store, log);
  expect(first.has('subscription 2027-03-03')).toBe(false);
  first.add('subscription 2027-03-03');
  expect(first.has('subscription 2027-03-03')).toBe(true);
  await expect.poll(() => store.text).not.toBeNull();
  expect((await Announced.load(store, log)).has('subscription 2027-03-03')).toBe(true);
});

test('only the newest fifty are kept', async () => {
  const store = storeWith(null);
  const announced = await Announced.load(store, log);
  for (let index = 0; index < 60; index += 1) announced.add(`update ${index}`);
  expect([announced.has('update 9'), announced.has('update 10'), announced.has('update 59')]).toEqual([
    false,
    true,
    true,
  ]);
});

test('one that keeps coming up is kept longer, so that it is not announced again after fifty others', async () => {
  const store = storeWith(null);
  const announced = await Announced.load(store, log);
  announced.add('still running');
  for (let day = 0; day < 60; day += 1) {
    expect(announced.has('still running')).toBe(true);
    announced.add(`warning ${day}`);
  }
  await expect.poll(() => store.text).toContain('warning 59');
  expect((await Announced.load(store, log)).has('still running')).toBe(true);
});

test('an unreadable document is set aside before it is overwritten', async () => {
  const store = storeWith('{"keys":');
  const announced = await Announced.load(store, log);
  announced.add('update 4.3.0');
  await expect.poll(() => store.write).toHaveBeenCalled();
  expect(store.setAside).toHaveBeenCalledWith('announced');
});

test('a notification that cannot be stored is remembered until the app stops', async () => {
  const store = { ...storeWith(null), write: () => Promise.reject(new Error('disk full')) };
  const announced = await Announced.load(store, log);
  announced.add('update 4.3.0');
  await new Promise((done) => setImmediate(done));
  expect(announced.has('update 4.3.0')).toBe(true);
});

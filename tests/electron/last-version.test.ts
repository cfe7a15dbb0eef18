/** The app says once that it was updated, and never after its first start. */
import { expect, it } from 'vitest';
import { recordVersion } from '../../electron/last-version.ts';
import { createFakePlatform } from './fake-platform.ts';

it('an update is noticed at the next start, once', async () => {
  const { plain, log } = createFakePlatform();
  const start = (version: string) => recordVersion(plain, log, version);
  expect(await start('4.2.0')).toBeNull();
  expect(await start('4.2.0')).toBeNull();
  expect(await start('4.10.0')).toBe('4.2.0');
  expect(await start('4.10.0')).toBeNull();
});

it('an earlier version that was installed again is no update', async () => {
  const { plain, log } = createFakePlatform();
  for (const version of ['4.3.0', '4.2.0']) expect(await recordVersion(plain, log, version)).toBeNull();
  expect(await recordVersion(plain, log, '4.3.0')).toBe('4.2.0');
});

it('a record that cannot be read or stored does not keep the app from starting', async () => {
  const { plain, log } = createFakePlatform({ plainValues: new Map([['last-version', '{']]) });
  expect(await recordVersion(plain, log, '4.3.0')).toBeNull();
  Object.assign(plain, { write: () => Promise.reject(new Error('ENOSPC')) });
  expect(await recordVersion(plain, log, '4.4.0')).toBe('4.3.0');
});

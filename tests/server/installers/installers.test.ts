/** The installer hashes: published, shown, cleared. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Services } from '../../../server/services.ts';
import { hour } from '../../harness/fake-clock.ts';
import { servicesOf } from '../../harness/services-of.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';

let test: TestApp;
let installers: Services['installers'];

beforeEach(async () => {
  test = await startTestApp();
  installers = servicesOf(test).installers;
});
afterEach(() => test.close());

const hash = (digit: string) => `sha256:${digit.repeat(64)}`;
const get = () => test.call('GET', '/binary-hash');

describe('/binary-hash', () => {
  it('is 404 with exactly error and message while nothing is published', async () => {
    const { status, body } = await get();
    expect(status).toBe(404);
    expect(body).toStrictEqual({ error: expect.stringMatching(/\w/), message: expect.stringMatching(/\w/) });
  });

  it('shows what is published, in one order', async () => {
    await installers.publish('1.2.3', { linux_amd64: hash('c'), windows_x64: hash('a'), macos_arm64: hash('b') });
    const { status, text } = await get();
    expect(status).toBe(200);
    expect(text).toBe(
      JSON.stringify({
        version: '1.2.3',
        hashes: { windows_x64: hash('a'), macos_arm64: hash('b'), linux_amd64: hash('c') },
        updated_at: new Date(test.clock.now()).toISOString(),
      }),
    );
  });

  it('is 404 again after a clear', async () => {
    await installers.publish('1.2.3', { linux_amd64: hash('c') });
    await installers.clear();
    expect((await get()).status).toBe(404);
    await installers.clear();
  });
});

describe('publishing', () => {
  it('of some platforms keeps the others of the same version, and drops those of another', async () => {
    await installers.publish('1.0.0', { windows_x64: hash('a') });
    test.clock.advance(hour);
    const both = await installers.publish('1.0.0', { linux_amd64: hash('b') });
    expect(both).toMatchObject({
      hashes: { windows_x64: hash('a'), linux_amd64: hash('b') },
      updated_at: new Date(test.clock.now()).toISOString(),
    });
    const next = await installers.publish('1.1.0', { macos_arm64: hash('c') });
    expect(next.hashes).toStrictEqual({ macos_arm64: hash('c') });
  });

  it('takes hex in either case, with or without sha256:', async () => {
    const { hashes } = await installers.publish('1.0.0', { linux_amd64: 'AB'.repeat(32) });
    expect(hashes.linux_amd64).toBe(`sha256:${'ab'.repeat(32)}`);
  });

  it.each([
    { version: '', hashes: { linux_amd64: hash('a') } },
    { version: ' ', hashes: { linux_amd64: hash('a') } },
    { version: 'x'.repeat(101), hashes: { linux_amd64: hash('a') } },
    { version: '1.0.0', hashes: {} },
    { version: '1.0.0', hashes: { linux_amd64: 'sha256:abc' } },
  ])('refuses $version $hashes', async ({ version, hashes }) => {
    await expect(installers.publish(version, hashes)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await installers.get()).toBeUndefined();
  });
});

/** What staff see of the update feed, and what owners change: rollouts and withdrawals, each confirmed and recorded. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { minute } from '../../harness/fake-clock.ts';
import { writeReleaseFile } from '../../harness/releases.ts';
import { envelope, timestamp } from '../../harness/response-shapes.ts';
import { newStaff, type Staff } from '../../harness/staff.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';

let server: TestApp;
let [owner, support, viewer] = [] as unknown as [Staff, Staff, Staff];

beforeEach(async () => {
  server = await startTestApp();
  [owner, support, viewer] = [
    await newStaff(server, 'owner'),
    await newStaff(server, 'support'),
    await newStaff(server, 'viewer'),
  ];
  for (const version of ['1.0.0', '1.1.0']) {
    const file = writeReleaseFile(server.dataFolder, version, `App-${version}.exe`, version);
    const blockMap = writeReleaseFile(server.dataFolder, version, `App-${version}.exe.blockmap`, 'map');
    await server.admin('installer', 'publish', version, '--feed', '--windows-x64', file, '--blockmap', blockMap);
  }
  server.clock.advance(1);
});

const versions = async () =>
  (await viewer.browser.expectOk('updateFeed')).versions as { version: string; percent: number }[];

describe('the update feed', () => {
  it('is shown to all staff, newest version first', async () => {
    const file = { sha256: expect.any(String), sha512: expect.any(String), missing: false };
    const [newest, older, ...more] = await versions();
    expect(newest).toStrictEqual({
      version: '1.1.0',
      published_at: timestamp,
      percent: 100,
      manifest: false,
      files: [
        { name: 'App-1.1.0.exe', platform: 'windows_x64', bytes: 5, ...file },
        { name: 'App-1.1.0.exe.blockmap', platform: null, bytes: 3, ...file },
      ],
    });
    expect([older?.version, more]).toEqual(['1.0.0', []]);
  });

  it('shows which files this server does not have', async () => {
    rmSync(join(server.dataFolder, 'updates'), { recursive: true });
    expect(JSON.stringify(await versions())).not.toContain('"missing":false');
  });
});

describe('owners', () => {
  it('can roll out a version to a percentage', async () => {
    const { versions } = await owner.browser.expectOk('rolloutUpdate', { at: '1.1.0', body: { percent: 20 } });
    expect(versions).toMatchObject([{ version: '1.1.0', percent: 20 }, { percent: 100 }]);
    expect((await server.request('GET', '/updates/latest.yml')).text).toContain('stagingPercentage: 20');
    const { rows } = await server.services.auditList.readPage({ action: 'installer.rollout' }, { limit: 9 });
    expect(rows).toMatchObject([{ details: { percent: 20 }, actor: owner.email }]);
  });

  it('can withdraw a version', async () => {
    const { versions } = await owner.browser.expectOk('withdrawUpdate', { at: '1.1.0' });
    expect(versions).toMatchObject([{ version: '1.0.0' }]);
    expect((await server.request('GET', '/updates/latest.yml')).text).toContain('version: 1.0.0\n');
    const { rows } = await server.services.auditList.readPage({ action: 'installer.withdraw' }, { limit: 9 });
    expect(rows).toMatchObject([{ actor: owner.email }]);
  });

  it('get an error for an unknown version or an invalid percentage', async () => {
    expect((await owner.browser.call('withdrawUpdate', { at: '9.0.0' })).body).toStrictEqual(envelope('NOT_FOUND'));
    const unknown = await owner.browser.call('rolloutUpdate', { at: '9.0.0', body: { percent: 1 } });
    expect(unknown.body).toStrictEqual(envelope('NOT_FOUND'));
    for (const percent of [-1, 101, 1.5, '5', null]) {
      const { body } = await owner.browser.call('rolloutUpdate', { at: '1.1.0', body: { percent } });
      expect(body).toStrictEqual(envelope('VALIDATION_ERROR'));
    }
    expect(await versions()).toMatchObject([{ percent: 100 }, { percent: 100 }]);
  });

  it('must confirm both actions again later', async () => {
    server.clock.advance(11 * minute);
    for (const [name, body] of [
      ['rolloutUpdate', { percent: 1 }],
      ['withdrawUpdate', undefined],
    ] as const) {
      const response = await owner.browser.call(name, { at: '1.1.0', body });
      expect(response.body).toStrictEqual(envelope('CONFIRMATION_REQUIRED'));
    }
  });
});

it('other staff cannot change anything', async () => {
  for (const { browser } of [support, viewer]) {
    for (const [name, body] of [
      ['rolloutUpdate', { percent: 1 }],
      ['withdrawUpdate', undefined],
    ] as const) {
      expect((await browser.call(name, { at: '1.1.0', body })).body).toStrictEqual(envelope('FORBIDDEN'));
    }
  }
  expect(await versions()).toMatchObject([{ percent: 100 }, { percent: 100 }]);
});

/** Publications that are killed or run concurrently: the feed is complete at every moment, and one of them wins. */
import { createHash } from 'node:crypto';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { systemScheduler } from '../../../server/scheduler.ts';
import { openSecrets } from '../../../server/secrets/secrets.ts';
import { createServices } from '../../../server/services.ts';
import { readConfig } from '../../../server/settings/config.ts';
import { systemRandom } from '../../../server/system-random.ts';
import { Admin } from '../../harness/admin.ts';
import { limitsOff } from '../../harness/environment.ts';
import { createFakeClock } from '../../harness/fake-clock.ts';
import { type HttpServer, openHttpServer, startHttpServer } from '../../harness/http-server.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { writeReleaseFile } from '../../harness/releases.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { makeTemporaryFolder, removeFolder } from '../../harness/temporary-folder.ts';
import { createAdmin, expectDocument, temporaryFolder } from '../../harness/test-admin.ts';

const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
const words = (version: string, ...files: string[]) => ['installer', 'publish', version, '--feed', ...files, '--json'];

describe('a publication that is killed between two files', () => {
  it('leaves the feed unchanged, and is completed by repeating it', async () => {
    const admin = createAdmin();
    const server = await startHttpServer(admin);
    const write = (version: string, name: string) =>
      writeReleaseFile(admin.folder, version, name, `${name} ${version}`);
    const files = (version: string) => [
      ...['--windows-x64', write(version, 'a.exe')],
      ...['--linux-amd64', write(version, 'a.AppImage')],
    ];
    await admin.json(words('1.0.0', ...files('1.0.0')).slice(0, -1));
    const read = async () => {
      const paths = ['latest.yml', 'latest-linux.yml', '1.0.0/a.exe', '1.0.0/a.AppImage', '1.1.0/a.exe'];
      const answers = await Promise.all(paths.map((path) => server.request('GET', `/updates/${path}`)));
      return [
        ...answers.map(({ status, text }) => (status === 200 ? text : status)),
        (await server.call('installerHashes')).body,
      ];
    };
    const before = await read();
    const folder = join(admin.folder, 'updates');
    // The first file of 1.1.0 is in place by then.
    await admin.killAtRename(words('1.1.0', ...files('1.1.0')), join(folder, sha256('a.AppImage 1.1.0')));
    expect(readdirSync(folder)).toContain(sha256('a.exe 1.1.0'));
    expect(await read()).toStrictEqual(before);
    const leftOver = readdirSync(folder).filter((name) => name.endsWith('.new'));
    expect(leftOver).toHaveLength(1);

    // It may belong to a copy in progress until nothing has changed for an hour.
    for (const name of leftOver) utimesSync(join(folder, name), 0, Date.now() / 1000 - 2 * 3600);
    expectDocument(await admin.run(words('1.1.0', ...files('1.1.0'))));
    const [windows, linux, , , file] = await read();
    expect(windows).toContain('1.1.0/a.exe');
    expect(linux).toContain('1.1.0/a.AppImage');
    expect(file).toBe('a.exe 1.1.0');
    expect(readdirSync(folder)).toHaveLength(4);
  });
});

const databases: readonly (readonly ['SQLite' | 'PostgreSQL', string | undefined])[] = [
  ['SQLite', 'always'],
  ['PostgreSQL', findPostgres()],
];

describe.each(databases)('concurrent publications on %s', (database, program) => {
  describe.skipIf(program === undefined)('', () => {
    const postgres = database === 'PostgreSQL' && program !== undefined ? sharedPostgres() : undefined;
    const folder = makeTemporaryFolder();
    let [admin, server] = [new Admin(folder), undefined as HttpServer | undefined];
    beforeAll(async () => {
      admin = new Admin(folder, postgres ? { DATABASE_URL: await postgres.createDatabase() } : {});
      server = await openHttpServer(admin);
    });
    afterAll(async () => {
      await server?.stop();
      removeFolder(folder);
    });
    const get = async (path: string) => (await server?.request('GET', `/updates/${path}`))?.text;

    it('of different contents for one file result in one publication', async () => {
      const paths = ['one', 'two', 'three'].map((content) => writeReleaseFile(folder, content, 'a.exe', content));
      const results = await Promise.all(paths.map((path) => admin.run(words('1.0.0', '--windows-x64', path))));
      const failures = results.filter(({ code }) => code !== 0);
      expect(failures.map(({ stderr }) => JSON.parse(stderr).code)).toEqual(['CONFLICT', 'CONFLICT']);
      const content = (await get('1.0.0/a.exe')) ?? '';
      const [winner] = results.flatMap(({ code, stdout }) => (code === 0 ? JSON.parse(stdout) : []));
      expect(winner).toMatchObject({ feed: { files: [{ name: 'a.exe', sha256: sha256(content) }] } });
      const hashes = (await server?.call('installerHashes'))?.body;
      expect(hashes).toMatchObject({ hashes: { windows_x64: `sha256:${sha256(content)}` } });
      expect(readdirSync(join(folder, 'updates'))).toEqual([sha256(content)]);
    });

    it('and withdrawals leave a feed whose files all exist', async () => {
      const runs = ['2.0.0', '2.1.0', '2.2.0'].map((version) => {
        const path = writeReleaseFile(folder, version, 'a.exe', `content of ${version}`);
        return admin.run(words(version, '--windows-x64', path));
      });
      const withdrawals = ['1.0.0', '2.0.0'].map((version) => admin.run(['installer', 'withdraw', version]));
      await Promise.all([...runs, ...withdrawals]);
      const version = /^version: (.*)$/m.exec((await get('latest.yml')) ?? '')?.[1];
      expect(await get(`${version}/a.exe`)).toBe(`content of ${version}`);
    });
  });
});

describe.skipIf(findPostgres() === undefined)('concurrent transactions', () => {
  const postgres = sharedPostgres();

  it('decide one after the other which file a version has', async () => {
    const folder = temporaryFolder();
    const url = await postgres.createDatabase();
    const config = readConfig({ ...limitsOff, LATCHKEY_DATA: folder, DATABASE_URL: url });
    const clock = createFakeClock();
    const database = await openPostgres(url, clock);
    onTestFinished(() => database.close());
    const secrets = await openSecrets(config.secretsFile, database, systemRandom);
    const { updateFeed } = createServices({
      config,
      database,
      secrets,
      clock,
      random: systemRandom,
      scheduler: systemScheduler,
    });
    const publishAs = (content: string) =>
      updateFeed.publish(
        {
          version: '1.0.0',
          files: [{ kind: 'windows_x64', path: writeReleaseFile(folder, content, 'a.exe', content) }],
          manifest: undefined,
          percent: undefined,
        },
        byCommand,
      );
    const contents = Array.from({ length: 12 }, (_, index) => `content ${index}`);
    const results = await Promise.allSettled(contents.map(publishAs));
    const won = contents.filter((_, index) => results[index]?.status === 'fulfilled');
    expect(won).toHaveLength(1);
    expect(await updateFeed.list()).toMatchObject([{ files: [{ sha256: sha256(won[0] ?? '') }] }]);
    expect(readdirSync(join(folder, 'updates'))).toEqual([sha256(won[0] ?? '')]);
  });
});

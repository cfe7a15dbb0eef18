/** `admin installer`, as a process of its own beside a running server. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectDocument, expectFailure, expectUsage } from '../harness/expect-command.ts';
import { timestamp } from '../harness/response-shapes.ts';
import { startedService } from '../harness/use-server.ts';

const service = startedService();
const hash = `sha256:${'0a'.repeat(32)}`;

describe('installer publish', () => {
  it('prints what /binary-hash answers from then on', async () => {
    const printed = expectDocument(
      await service.command(['installer', 'publish', '2.0.0', '--windows-x64', hash, '--json']),
    );
    expect(printed).toMatchObject({ version: '2.0.0', hashes: { windows_x64: hash }, updated_at: timestamp });
    expect((await service.call('installerHashes')).body).toMatchObject(printed);
  });

  it('hashes a file', async () => {
    const file = join(service.dataFolder, 'empty installer');
    writeFileSync(file, '');
    const printed = expectDocument(
      await service.command(['installer', 'publish', '2.1.0', '--linux-amd64', file, '--json']),
    );
    const ofNothing = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    expect(printed).toMatchObject({ hashes: { linux_amd64: ofNothing } });
  });

  it('fails where the file is not there, and publishes nothing', async () => {
    await service.admin('installer', 'clear');
    const missing = join(service.dataFolder, 'missing');
    expectFailure(
      await service.command(['installer', 'publish', '2.2.0', '--linux-amd64', missing, '--json']),
      'NOT_FOUND',
    );
    expect((await service.call('installerHashes')).status).toBe(404);
  });

  it.each([
    ['no platform', ['2.3.0']],
    ['no version', ['--linux-amd64', hash]],
    ['a hash that is none', ['2.3.0', '--linux-amd64', 'sha256:abc']],
    ['an unknown platform', ['2.3.0', '--solaris', hash]],
  ])('is wrong usage with %s', async (_, parameters) => {
    expectUsage(await service.command(['installer', 'publish', ...parameters, '--json']));
  });
});

describe('installer clear', () => {
  it('prints a document, and may be said twice', async () => {
    expectDocument(await service.command(['installer', 'clear', '--json']));
    expectDocument(await service.command(['installer', 'clear', '--json']));
    expect((await service.call('installerHashes')).status).toBe(404);
  });
});

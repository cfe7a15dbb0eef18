/** kill -9 of a master key rotation at any moment: nothing is lost, and the next rotation completes it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Admin } from '../harness/admin.ts';
import { childEnvironment, repository, serverProgram } from '../harness/environment.ts';
import { startHttpServer } from '../harness/http-server.ts';
import { temporaryFolder } from '../harness/test-admin.ts';
import { activate, issueLicense, signUp } from '../harness/users.ts';
import { describeEachDatabase } from '../server/audit/databases.ts';

const licenseCount = 3000;
const kills = 8;

/** Starts the command and kills it after that time; returns true if it had already exited. */
async function killAfter(admin: Admin, words: readonly string[], milliseconds: number): Promise<boolean> {
  const child = spawn(process.execPath, [`${repository}${serverProgram('admin')}`, ...words], {
    env: childEnvironment(admin.settings),
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  await Promise.race([exited, sleep(milliseconds)]);
  child.kill('SIGKILL');
  await exited;
  return child.exitCode === 0;
}

/** Returns how long a rotation of few rows takes. */
async function measure(admin: Admin, words: readonly string[]): Promise<number> {
  const startMs = performance.now();
  expect(await killAfter(admin, words, 60_000)).toBe(true);
  return performance.now() - startMs;
}

describeEachDatabase((database) => {
  it('a rotation can be killed at any moment while a server runs', async () => {
    const admin = await database.createAdmin();
    const server = await startHttpServer(admin);
    const user = await signUp(server);
    const { key } = await issueLicense(server, '--email', user.email);
    const { deviceId } = await activate(server, user, key);
    const words = ['key', 'rotate', '--purpose', 'master'];
    const usualMs = await measure(admin, words);
    const file = join(temporaryFolder(), 'licenses.csv');
    const keys = Array.from({ length: licenseCount }, (_, number) => `KEY-${number}`);
    writeFileSync(file, `license_key\n${keys.join('\n')}\n`);
    await admin.json(['import', 'licenses', file]);
    const expectGood = async () => {
      const body = { license_key: key, device_id: deviceId };
      const { body: answer } = await server.call('validateLicense', { token: user.token, body });
      expect(answer).toMatchObject({ valid: true, already_activated_on_device: true });
      expect((await server.call('lease', { token: user.token, body })).status).toBe(200);
      expect(await admin.json(['check'])).toMatchObject({ ok: true, secrets: 'match' });
    };
    for (let kill = 0; kill < kills; kill++) {
      await killAfter(admin, words, usualMs * (0.5 + kill / kills));
      await expectGood();
    }
    await admin.json(words);
    await expectGood();
    await server.stop();
    const restarted = await startHttpServer(admin);
    const { body } = await restarted.call('validateLicense', {
      token: user.token,
      body: { license_key: key, device_id: deviceId },
    });
    expect(body).toMatchObject({ valid: true });
  });

  it('a rotation that is killed before the file is replaced leaves it unchanged', async () => {
    const admin = await database.createAdmin();
    await admin.createUser('ada@example.com');
    const path = join(admin.folder, 'secrets.json');
    const before = readFileSync(path, 'utf8');
    await admin.killAtRename(['key', 'rotate', '--purpose', 'master'], path);
    expect(readFileSync(path, 'utf8')).toBe(before);
    await admin.json(['key', 'rotate', '--purpose', 'master']);
    expect(await admin.json(['check'])).toMatchObject({ ok: true });
  });
});

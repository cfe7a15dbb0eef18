/** Scheduled backups during hundreds of writes per second: each contains every write acknowledged before it started. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { Settings } from '../harness/environment.ts';
import { startHttpServer } from '../harness/http-server.ts';
import { findPostgres } from '../harness/postgres.ts';
import { sharedPostgres } from '../harness/shared-postgres.ts';
import { createAdmin, temporaryFolder } from '../harness/test-admin.ts';
import { newDeviceId, signUp } from '../harness/users.ts';

type Listed = { readonly created_at: string; readonly file: string; readonly proven_at: string | null };

const clients = 8;

async function expectComplete(settings: Settings): Promise<void> {
  const folder = join(temporaryFolder(), 'backups');
  const admin = createAdmin({ LATCHKEY_BACKUP_EVERY: '1s', LATCHKEY_BACKUP_FOLDER: folder, ...settings });
  const server = await startHttpServer(admin);
  const user = await signUp(server);
  const acknowledged: { readonly deviceId: string; readonly atMs: number }[] = [];
  let isOver = false;
  const loads = Array.from({ length: clients }, async () => {
    while (!isOver) {
      const device_id = newDeviceId();
      const { status, text } = await server.call('heartbeat', { token: user.token, body: { device_id } });
      expect(status, text).toBe(200);
      acknowledged.push({ deviceId: device_id, atMs: Date.now() });
    }
  });
  let enoughMs = 0;
  try {
    await expect.poll(() => acknowledged.length).toBeGreaterThan(500);
    enoughMs = Date.now();
    // The file is named after the time at which the backup began, and exists before it is verified.
    const earliest = `latchkey-${new Date(enoughMs).toISOString().replaceAll(/[:.]/g, '-')}`;
    const isWritten = () => existsSync(folder) && readdirSync(folder).some((name) => name > earliest);
    await expect.poll(isWritten).toBe(true);
  } finally {
    isOver = true;
    await Promise.allSettled(loads);
  }
  await Promise.all(loads);
  const find = async () =>
    (await admin.json<{ backups: Listed[] }>(['check'])).backups.findLast(
      ({ created_at, proven_at }) => proven_at !== null && Date.parse(created_at) > enoughMs,
    );
  await expect.poll(find).toBeDefined();
  await server.stop();
  const backup = await find();
  const copy = createAdmin();
  await copy.json(['restore', backup?.file ?? '']);
  const restored = new DatabaseSync(join(copy.folder, 'latchkey.db'), { readOnly: true });
  const devices = new Set(
    restored
      .prepare('select device_id from device_activity')
      .all()
      .map((row) => row.device_id),
  );
  restored.close();
  const before = acknowledged.filter(({ atMs }) => atMs < Date.parse(backup?.created_at ?? ''));
  expect(before.length).toBeGreaterThan(500);
  expect(before.filter(({ deviceId }) => !devices.has(deviceId))).toEqual([]);
}

describe('a backup during writes contains all writes acknowledged before it started', () => {
  it('on SQLite', () => expectComplete({}));

  const programs = findPostgres();
  describe.skipIf(programs === undefined)('with a database server', () => {
    const postgres = sharedPostgres();

    it('on PostgreSQL', async () => expectComplete({ DATABASE_URL: await postgres.createDatabase() }));
  });
});

/** The log records events and never contains a secret. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FileLog } from '../../../electron/platform/log.ts';
import { createPipe } from '../pipe.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const now = () => Date.UTC(2026, 0, 2);

describe('the log', () => {
  it('writes one line per entry', async () => {
    const folder = temporaryFolder();
    const log = new FileLog({ folder, now });
    log.info('first', { count: 1 });
    log.warn('second');
    await log.flush();
    const lines = readFileSync(join(folder, 'latchkey.log'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { at: '2026-01-02T00:00:00.000Z', level: 'info', message: 'first', facts: { count: 1 } },
      { at: '2026-01-02T00:00:00.000Z', level: 'warn', message: 'second', facts: {} },
    ]);
  });

  it.each([
    'svc_live_AbCdEfGhIjKlMnOpQrStUvWxYz',
    'SVC-AB12-CD34-EF56-GH78',
    `v1.${'a'.repeat(43)}`,
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
  ])('redacts %s anywhere in an entry', async (secret) => {
    const folder = temporaryFolder();
    const log = new FileLog({ folder, now });
    log.warn(`it was ${secret}`, { deep: [{ text: `and ${secret}!` }], error: new Error(secret) });
    await log.flush();
    expect(readFileSync(join(folder, 'latchkey.log'), 'utf8')).not.toContain(secret);
  });

  it.each(['accessToken', 'refresh_token', 'password', 'apiKey', 'licenseKey', 'machineId', 'Authorization'])(
    'redacts a fact named %s',
    async (name) => {
      const folder = temporaryFolder();
      const log = new FileLog({ folder, now });
      log.info('a fact', { [name]: 'plain' });
      await log.flush();
      expect(readFileSync(join(folder, 'latchkey.log'), 'utf8')).not.toContain('plain');
    },
  );

  it('starts a new file when the old one is too large, and keeps one old file', async () => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'latchkey.log'), 'x'.repeat(1024 * 1024 + 1));
    const log = new FileLog({ folder, now });
    log.info('new');
    await log.flush();
    expect(readdirSync(folder).sort()).toEqual(['latchkey.log', 'latchkey.log.1']);
  });

  it('also does so while it is running, so that it never has more than two files of about a megabyte', async () => {
    const folder = temporaryFolder();
    const log = new FileLog({ folder, now });
    for (let entry = 0; entry < 3000; entry++) log.warn('x'.repeat(1000));
    await log.flush();
    const sizes = ['latchkey.log', 'latchkey.log.1'].map((name) => statSync(join(folder, name)).size);
    expect(Math.max(...sizes)).toBeLessThan(1.1 * 1024 * 1024);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it.skipIf(process.platform === 'win32')('drops entries if a pipe is in place of its file', async () => {
    const folder = temporaryFolder();
    createPipe(join(folder, 'latchkey.log'));
    const log = new FileLog({ folder, now });
    log.info('lost');
    await log.flush();
    expect(await log.recent(10)).toEqual([]);
  });

  it('drops entries if its folder cannot be written', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const log = new FileLog({ folder: join(folder, 'file', 'logs'), now });
    log.info('lost');
    await log.flush();
  });

  it('ignores a folder that cannot be created, even without an entry', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'file'), '');
    const log = new FileLog({ folder: join(folder, 'file', 'logs'), now });
    await expect(log.flush()).resolves.toBeUndefined();
  });
});

/** What staff see about the server: its database, and its settings without secrets. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { migrationNames } from '../../../server/database/migrate.ts';
import { describeSettings, settingsTable } from '../../../server/settings/settings-table.ts';
import { repository } from '../../harness/environment.ts';
import { timestamp } from '../../harness/response-shapes.ts';
import { newStaff } from '../../harness/staff.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp({ LATCHKEY_PUBLIC_URL: 'https://licenses.example.com' });

describe('the server', () => {
  it('shows its version, its database and its settings', async () => {
    const { browser } = await newStaff(server, 'viewer');
    const { version } = JSON.parse(readFileSync(`${repository}package.json`, 'utf8'));
    const info = await browser.expectOk('serverInfo');
    expect(info).toMatchObject({
      version,
      node_version: process.versions.node,
      started_at: timestamp,
      now: timestamp,
      database: { kind: 'sqlite', size_bytes: expect.any(Number) },
    });
    const { database, settings } = info as {
      database: { migrations: { name: string }[]; size_bytes: number };
      settings: { name: string; value: string | null; is_default: boolean }[];
    };
    expect(database.size_bytes).toBeGreaterThan(100_000);
    expect(database.migrations.map(({ name }) => name)).toStrictEqual(migrationNames.toSorted());
    expect(settings.map(({ name }) => name)).toStrictEqual(Object.keys(settingsTable));
    const find = (name: string) => settings.find((setting) => setting.name === name);
    expect(find('LATCHKEY_PUBLIC_URL')).toMatchObject({ value: 'https://licenses.example.com/', is_default: false });
    expect(find('LATCHKEY_PORT')).toMatchObject({ value: '8470', is_default: true });
    expect(find('REDIS_URL')).toMatchObject({ value: null, is_default: true });
  });
});

describe('a secret setting', () => {
  const secret = 'do-not-show-this';
  const names = Object.keys(settingsTable).filter((name) => /SECRET|TOKEN|PASS|_URL$/.test(name));

  it.each(names.filter((name) => !/_(?:FILE|TTL|LENGTH)$/.test(name)))('is not shown: %s', (name) => {
    for (const value of [secret, `postgres://user:${secret}@host/db`, `redis://:${secret}@h/0?password=${secret}`]) {
      expect(JSON.stringify(describeSettings({ [name]: value }))).not.toContain(secret);
    }
  });

  it('in a URL is hidden without hiding the rest of the URL', () => {
    const shown = (name: string, value: string) =>
      describeSettings({ [name]: value }).find((setting) => setting.name === name)?.value;
    expect(shown('DATABASE_URL', `postgres://ada:${secret}@db.example.com:5432/latchkey?password=${secret}`)).toBe(
      'postgres://ada:•••@db.example.com:5432/latchkey?•••',
    );
    expect(shown('REDIS_URL', 'redis://127.0.0.1:6379/0')).toBe('redis://127.0.0.1:6379/0');
  });
});

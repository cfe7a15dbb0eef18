/** Everything encrypted with the master key is encrypted again when the master key is replaced. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { byCommand, byServer } from '../../../server/audit/audit-event.ts';
import { encryptedColumns } from '../../../server/secret-rotation/encrypted-column.repository.ts';
import { SecretBox } from '../../../server/secrets/secret-box.ts';
import { minute } from '../../harness/fake-clock.ts';
import { startTestApp } from '../../harness/start-app.ts';

const root = join(import.meta.dirname, '../../..');
const sources = globSync('server/**/*.ts', { cwd: root }).map((path) => readFileSync(join(root, path), 'utf8'));

it('every purpose of a SecretBox is in the list', () => {
  const used = sources.flatMap((text) =>
    [...text.matchAll(/new SecretBox\([^,]+, '([^']+)'\)/g)].map(([, name]) => name),
  );
  expect(used.sort()).toEqual(encryptedColumns.map(({ purpose }) => purpose).sort());
});

it('only a SecretBox and the signatures of the audit log are derived from the master key', () => {
  const paths = globSync('server/**/*.ts', { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const users = paths.filter((path) =>
    /\.masterKeys\b|masterKeys\s*[,}].*= .*secrets/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(users.filter((path) => !/^server\/(?:secret|audit\/|backup\/inspection)/.test(path))).toEqual([]);
});

it('the secret of a webhook endpoint survives the removal of the previous master key', async () => {
  const server = await startTestApp();
  const { database, secrets, services, clock } = server;
  const boxes = new Map(encryptedColumns.map(({ purpose }) => [purpose, new SecretBox(secrets, purpose)]));
  const seal = (purpose: string, id: string) =>
    boxes.get(purpose)?.encrypt(Buffer.from(`secret of ${id}`), id, (count) => Buffer.alloc(count, 3)) ?? '';
  const added = await services.webhooks.add('https://example.com/events', [], byCommand);
  const sealed = seal('webhook endpoints', added.id);
  await database.write(async (transaction) => {
    await transaction
      .updateTable('webhook_endpoints')
      .set({ encrypted_secret: sealed })
      .where('id', '=', added.id)
      .execute();
  });
  await services.secretRotation.rotate(byCommand);
  clock.advance(minute);
  expect(await services.secretRotation.finish(byServer)).toBe(true);
  const row = await database.read.selectFrom('webhook_endpoints').selectAll().executeTakeFirstOrThrow();
  expect(row.encrypted_secret).not.toBe(sealed);
  expect(new SecretBox(secrets, 'webhook endpoints').decrypt(row.encrypted_secret, row.id).toString()).toBe(
    `secret of ${added.id}`,
  );
});

/** Queries on published installers. */
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type InstallerRow = Tables['installers'];

export function listInstallers(executor: Executor): Promise<InstallerRow[]> {
  return executor.selectFrom('installers').selectAll().execute();
}

export async function saveInstaller(transaction: Transaction, row: InstallerRow): Promise<void> {
  await transaction
    .insertInto('installers')
    .values(row)
    .onConflict((conflict) => conflict.column('platform').doUpdateSet(row))
    .execute();
}

export async function deleteOtherVersions(transaction: Transaction, version: string): Promise<void> {
  await transaction.deleteFrom('installers').where('version', '!=', version).execute();
}

export async function deleteInstallers(transaction: Transaction): Promise<void> {
  await transaction.deleteFrom('installers').execute();
}

type KnownInstallerRow = Tables['known_installers'];

/** Maximum number of remembered installers: three platforms of very many versions. */
const maxKnown = 3_000;

/** Remembers a published installer, replacing other files of the same version and platform. */
export async function rememberInstaller(
  transaction: Transaction,
  { hash, platform, version, updated_at_ms: published_at_ms }: InstallerRow,
): Promise<void> {
  await transaction
    .deleteFrom('known_installers')
    .where('version', '=', version)
    .where('platform', '=', platform)
    .execute();
  const changed = { platform, version, published_at_ms };
  await transaction
    .insertInto('known_installers')
    .values({ hash, ...changed })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet(changed))
    .execute();
  await transaction
    .deleteFrom('known_installers')
    .where('hash', 'not in', (select) =>
      select.selectFrom('known_installers').select('hash').orderBy('published_at_ms', 'desc').limit(maxKnown),
    )
    .execute();
}

export function findKnownInstaller(executor: Executor, hash: string): Promise<KnownInstallerRow | undefined> {
  return executor.selectFrom('known_installers').selectAll().where('hash', '=', hash).executeTakeFirst();
}

/** Forgets the installers of the published version. */
export async function forgetPublished(transaction: Transaction): Promise<void> {
  await transaction
    .deleteFrom('known_installers')
    .where('version', 'in', (select) => select.selectFrom('installers').select('version'))
    .execute();
}

export async function forgetVersion(transaction: Transaction, version: string): Promise<void> {
  await transaction.deleteFrom('known_installers').where('version', '=', version).execute();
}

/** Returns the installers of a version as they were last published. */
export function listKnownOf(executor: Executor, version: string): Promise<InstallerRow[]> {
  return executor
    .selectFrom('known_installers')
    .select(['hash', 'platform', 'version', 'published_at_ms as updated_at_ms'])
    .where('version', '=', version)
    .execute();
}

/** Queries on the published installers. */
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

export type InstallerRow = Tables['installers'];

export function listInstallers(executor: Executor): Promise<InstallerRow[]> {
  return executor.selectFrom('installers').selectAll().execute();
}

export async function saveInstaller(transaction: Transaction, row: InstallerRow): Promise<void> {
  const { platform: _platform, ...changed } = row;
  await transaction
    .insertInto('installers')
    .values(row)
    .onConflict((conflict) => conflict.column('platform').doUpdateSet(changed))
    .execute();
}

export async function deleteOtherVersions(transaction: Transaction, version: string): Promise<void> {
  await transaction.deleteFrom('installers').where('version', '!=', version).execute();
}

export async function deleteInstallers(transaction: Transaction): Promise<void> {
  await transaction.deleteFrom('installers').execute();
}

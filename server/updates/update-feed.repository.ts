/** Queries on update feed versions and their files. */
import type { Executor, Transaction } from '../database/database.ts';
import type { Tables } from '../database/tables.ts';

type VersionRow = Tables['update_versions'];
type FileRow = Tables['update_files'];

export function listVersions(executor: Executor): Promise<VersionRow[]> {
  return executor.selectFrom('update_versions').selectAll().execute();
}

export function listFiles(executor: Executor): Promise<FileRow[]> {
  return executor.selectFrom('update_files').selectAll().execute();
}

export function findFile(executor: Executor, version: string, name: string): Promise<FileRow | undefined> {
  return executor
    .selectFrom('update_files')
    .selectAll()
    .where('version', '=', version)
    .where('name', '=', name)
    .executeTakeFirst();
}

export async function saveVersion(transaction: Transaction, row: VersionRow): Promise<void> {
  await transaction
    .insertInto('update_versions')
    .values(row)
    .onConflict((conflict) => conflict.column('version').doUpdateSet(row))
    .execute();
}

/** Adds files; existing ones stay unchanged. */
export async function addFiles(transaction: Transaction, rows: readonly FileRow[]): Promise<void> {
  await transaction
    .insertInto('update_files')
    .values([...rows])
    .onConflict((conflict) => conflict.columns(['version', 'name']).doNothing())
    .execute();
}

export async function setPercent(transaction: Transaction, version: string, percent: number): Promise<void> {
  await transaction.updateTable('update_versions').set({ percent }).where('version', '=', version).execute();
}

export async function deleteVersions(transaction: Transaction, versions: readonly string[]): Promise<void> {
  if (versions.length === 0) return;
  await transaction.deleteFrom('update_versions').where('version', 'in', versions).execute();
}

/** The writes that were acknowledged to the writer, and whether a database has them. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Number of writes of each client. */
export const writesOfEach = 60;

/** Number of latest rows that each client keeps. */
export const rowsKept = 3;

export const acknowledgedFile = (databaseFile: string) => join(databaseFile, '..', 'acknowledged');

/** The highest acknowledged count by client. */
export type Acknowledged = ReadonlyMap<string, number>;

/** Returns what is wrong with the database file; empty if every promise is kept. */
export function findBrokenPromises(path: string, acknowledged: Acknowledged): string[] {
  const connection = new DatabaseSync(path);
  try {
    connection.exec('pragma synchronous = off');
    const damage = connection.prepare('pragma integrity_check').all();
    if (damage[0]?.integrity_check !== 'ok') return damage.map((row) => `damaged: ${row.integrity_check}`);
    const rows = connection.prepare('select name, value from meta').all();
    const values = new Map(rows.map(({ name, value }) => [String(name), String(value)]));
    return [...acknowledged].flatMap(([client, count]) => findLosses(values, client, count));
  } catch (error) {
    return [`SQLite cannot read it: ${error}`];
  } finally {
    connection.close();
  }
}

function findLosses(values: ReadonlyMap<string, string>, client: string, acknowledged: number): string[] {
  const count = Number(values.get(client) ?? 0);
  if (count < acknowledged) return [`${client} was at ${acknowledged} and is at ${count}`];
  const present = [...values.keys()].filter((name) => name.startsWith(`${client}-`)).sort();
  const expected = Array.from({ length: Math.min(count, rowsKept) }, (_, index) => `${client}-${count - index}`).sort();
  const isWhole = String(present) === String(expected);
  return isWhole ? [] : [`${client} is at ${count} and has the rows ${present}: its last write is there in part`];
}

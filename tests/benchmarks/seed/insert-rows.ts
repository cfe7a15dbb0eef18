/** Inserts seeded rows directly, in one transaction, since the service would take hours for millions of accounts. */
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { Client } from 'pg';
import { type Tables, tableOrder } from '../../../server/database/tables.ts';
import type { SeedRows } from './seeded-accounts.ts';

const batchAccounts = 2_000;

/** Inserts the rows of accounts. */
export type InsertRows = (accounts: Iterable<SeedRows>) => Promise<void>;

type Row = Tables[keyof Tables];

/** Inserts into the SQLite file of a data folder that nothing else has open. */
export function insertIntoSqlite(dataFolder: string): InsertRows {
  return async (accounts) => {
    const connection = new DatabaseSync(join(dataFolder, 'latchkey.db'));
    // Not WAL, in which every page would be written first. An interrupted run removes its folder, so nothing is synced.
    // The cache holds the indexes of millions of rows.
    connection.exec('pragma journal_mode = delete; pragma synchronous = off; pragma cache_size = -2000000; begin');
    const statements = new Map<string, StatementSync>();
    let inserted = 0;
    for (const rows of accounts) {
      // Allows a run to be interrupted.
      if (++inserted % batchAccounts === 0) await setImmediate();
      for (const [table, row] of rowsInOrder(rows)) {
        const statement = statements.get(table) ?? connection.prepare(insertStatement(table, row));
        statements.set(table, statement);
        statement.run(...Object.values(row));
      }
    }
    connection.exec('commit');
    connection.close();
  };
}

/** Inserts into the PostgreSQL database at `url`. */
export function insertIntoPostgres(url: string): InsertRows {
  return async (accounts) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('begin');
    const batches = new Map<string, Row[]>();
    const flush = async () => {
      for (const table of tableOrder) {
        const rows = batches.get(table) ?? [];
        if (rows[0])
          await client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [
            JSON.stringify(rows),
          ]);
      }
      batches.clear();
    };
    let waiting = 0;
    for (const account of accounts) {
      for (const [table, row] of rowsInOrder(account)) {
        const rows = batches.get(table) ?? [];
        rows.push(row);
        batches.set(table, rows);
      }
      waiting += 1;
      if (waiting % batchAccounts === 0) await flush();
    }
    await flush();
    await client.query('commit; analyze');
    // Otherwise the inserted rows would be written to disk while the server is measured.
    await client.query('checkpoint');
    await client.end();
  };
}

function rowsInOrder(rows: SeedRows): [keyof Tables, Row][] {
  return tableOrder.flatMap((table) => {
    const row = rows[table];
    return row ? [[table, row]] : [];
  });
}

function insertStatement(table: string, row: Row): string {
  const columns = Object.keys(row);
  return `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`;
}

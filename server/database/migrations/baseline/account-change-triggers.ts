/**
 * Triggers that record which account a write changes, so that no write can forget to. On SQLite they write to a table.
 * On PostgreSQL they send a notification and, for the process that writes, set a setting of the transaction.
 */
import { type Executor, isPostgres } from '../../database.ts';

/**
 * Tables that the snapshots of accounts and API keys are read from (`account-snapshots/`). `update`: the columns that
 * matter; by default all.
 */
const cachedTables = [
  // A row that did not exist is not cached.
  { table: 'users', owner: 'id', insert: false, update: 'password_changed_at_ms' },
  { table: 'sessions', owner: 'user_id', insert: false, update: 'revoked_at_ms' },
  { table: 'subscriptions', owner: 'user_id' },
  { table: 'licenses', owner: 'user_id' },
  { table: 'api_keys', owner: 'user_id' },
] as const;

const activationColumns = 'license_id, device_id, released_at_ms, lease_expires_at_ms';

/** Every process caches these tables as a whole. */
const globalTables = [
  { table: 'plans', update: undefined },
  { table: 'features', update: undefined },
  { table: 'plan_features', update: undefined },
  { table: 'signing_keys', update: 'retired_at_ms, is_prepared' },
] as const;

/** How many changes SQLite stores: a process that has missed more than these drops its whole cache. */
export const maxStoredChanges = 1000;

/**
 * Yields the statements that create the triggers and, on SQLite, the table that they write to. A null user in it stands
 * for every account.
 */
export function accountChangeTriggers(executor: Executor): Iterable<string> {
  return isPostgres(executor) ? postgresTriggers() : sqliteTriggers();
}

function* sqliteTriggers(): Iterable<string> {
  yield 'create table account_changes (seq integer primary key autoincrement, user_id text) strict';
  const trigger = (table: string, event: string, owner: string) =>
    `create trigger ${table}_${event.split(' ')[0]}_noted after ${event} on ${table}
      begin insert into account_changes (user_id) ${owner}; end`;
  for (const { table, owner, ...events } of cachedTables) {
    const [isNew, isOld] = ['new', 'old'].map((row) => `select ${row}.${owner} where ${row}.${owner} is not null`);
    const update = 'update' in events ? ` of ${events.update}` : '';
    if (!('insert' in events)) yield trigger(table, 'insert', `${isNew}`);
    yield trigger(table, `update${update}`, `${isNew} union ${isOld}`);
    yield trigger(table, 'delete', `${isOld}`);
  }
  const ofLicense = (row: string) =>
    `select user_id from licenses where id = ${row}.license_id and user_id is not null`;
  yield trigger('activations', 'insert', ofLicense('new'));
  yield trigger('activations', `update of ${activationColumns}`, ofLicense('new'));
  yield trigger('activations', 'delete', ofLicense('old'));
  for (const { table, update } of globalTables) {
    yield trigger(table, 'insert', 'select null');
    yield trigger(table, update ? `update of ${update}` : 'update', 'select null');
    yield trigger(table, 'delete', 'select null');
  }
  yield `create trigger account_changes_bounded after insert on account_changes when new.seq % 100 = 0
    begin delete from account_changes where seq <= new.seq - ${maxStoredChanges}; end`;
}

function* postgresTriggers(): Iterable<string> {
  // A payload must be shorter than 8000 bytes. Duplicate notifications in a transaction arrive only once.
  yield `create or replace function note_account_change(changed text) returns void language plpgsql as $$
    declare noted text := coalesce(current_setting('latchkey.changed_accounts', true), '');
    begin
      if changed is null or noted = '*' or position(changed in noted) > 0 then return; end if;
      if length(noted) > 7000 then changed := '*'; end if;
      perform pg_notify('latchkey_account_changes', changed);
      perform set_config('latchkey.changed_accounts', case changed when '*' then '*' else noted || ' ' || changed end, true);
    end $$`;
  yield `create or replace function note_owner() returns trigger language plpgsql as $$
    begin
      -- In a write of very many rows that is noted already.
      if current_setting('latchkey.changed_accounts', true) = '*' then return null; end if;
      if tg_op <> 'DELETE' then perform note_account_change(to_jsonb(new) ->> tg_argv[0]); end if;
      if tg_op <> 'INSERT' then perform note_account_change(to_jsonb(old) ->> tg_argv[0]); end if;
      return null;
    end $$`;
  yield `create or replace function note_owner_of_license() returns trigger language plpgsql as $$
    begin
      if current_setting('latchkey.changed_accounts', true) = '*' then return null; end if;
      perform note_account_change(user_id) from licenses
        where id = case tg_op when 'DELETE' then old.license_id else new.license_id end;
      return null;
    end $$`;
  yield `create or replace function note_everything() returns trigger language plpgsql as $$
    begin
      perform note_account_change('*');
      return null;
    end $$`;
  const trigger = (table: string, events: string, call: string, each = 'row') =>
    `create trigger ${table}_noted after ${events} on ${table} for each ${each} execute function ${call}`;
  for (const { table, owner, ...events } of cachedTables) {
    const update = 'update' in events ? ` of ${events.update}` : '';
    const insert = 'insert' in events ? '' : 'insert or ';
    yield trigger(table, `${insert}update${update} or delete`, `note_owner('${owner}')`);
  }
  yield trigger('activations', `insert or update of ${activationColumns} or delete`, 'note_owner_of_license()');
  for (const { table, update } of globalTables) {
    yield trigger(
      table,
      `insert or update${update ? ` of ${update}` : ''} or delete`,
      'note_everything()',
      'statement',
    );
  }
}

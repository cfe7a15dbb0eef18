/** The audit log, and the seals that chain its entries. An entry outlives the records that it names. */
import { sql } from 'kysely';
import type { Migration } from '../database.ts';

export const audit: Migration = {
  name: '0008-audit',
  async apply(transaction, dialect) {
    const [integer, options] = dialect === 'sqlite' ? ['integer', ' strict, without rowid'] : ['bigint', ''];
    const statements = [
      `create table audit_events (
        id text primary key,
        at_ms ${integer} not null,
        actor_kind text not null check (actor_kind in ('user', 'staff', 'command', 'provider', 'server', 'anonymous')),
        actor text not null,
        action text not null,
        target_kind text not null,
        target_id text not null,
        target_label text not null,
        address text,
        details text not null,
        seal_id ${integer}
      )${options}`,
      'create index unsealed_audit_events on audit_events (id) where seal_id is null',
      `create table audit_seals (
        id ${integer} primary key,
        sealed_at_ms ${integer} not null,
        entries ${integer} not null,
        digests text not null,
        previous_hash text not null,
        hash text not null
      )${dialect === 'sqlite' ? ' strict' : ''}`,
    ];
    for (const statement of statements) await sql.raw(statement).execute(transaction);
  },
};

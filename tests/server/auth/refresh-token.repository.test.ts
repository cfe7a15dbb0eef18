/**
 * Refreshing stays fast for a session that was refreshed very often, and signing in for an account that was signed in to
 * very often: no query reads all tokens of a session, or all sessions that an account has ever had. And what is decided
 * about a token is decided by one transaction at a time.
 */
import { expect, it } from 'vitest';
import {
  addSession,
  deleteEncryptedCopy,
  listSessions,
  lockSessionOfToken,
  lockUserOfToken,
  revokeSessionsOfUser,
} from '../../../server/auth/refresh-token.repository.ts';
import type { Transaction } from '../../../server/database/database.ts';
import { compileForPostgres } from '../../harness/compile-for-postgres.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp();

it("the encrypted copy of a token is found through an index on the token's hash", async () => {
  expect(
    await readQueryPlan(server, (transaction) => deleteEncryptedCopy.run(transaction, { tokenHash: 'child' })),
  ).toMatch(/INDEX \w+ \(successor_hash=\?\)/);
});

const session = { id: 'new', created_at_ms: 1, expires_at_ms: 2, revoked_at_ms: null, user_agent: null };

it.each([
  ['a sign-in', (transaction) => addSession(transaction, { ...session, user_id: 'user' })],
  ['the list of sessions', (transaction) => listSessions(transaction, 'user', 1)],
  ['the end of all', (transaction) => revokeSessionsOfUser(transaction, { userId: 'user', keptId: undefined }, 1)],
] satisfies [string, (transaction: Transaction) => Promise<unknown>][])(
  '%s reads no sessions that have been ended, of which an account may have any number',
  async (_, work) => {
    const plan = await readQueryPlan(server, work);
    expect(plan).toContain('SEARCH sessions USING INDEX open_sessions_of_user (user_id=?)');
  },
);

it.each([
  [
    'the session of a token',
    lockSessionOfToken,
    'select "id" from "sessions" where "id" in ' +
      '(select "session_id" from "refresh_tokens" where "token_hash" = $1) for no key update',
  ],
  [
    'the account of a token',
    lockUserOfToken,
    'select "id" from "users" where "id" in (select "sessions"."user_id" from "refresh_tokens" ' +
      'inner join "sessions" on "sessions"."id" = "refresh_tokens"."session_id" where "token_hash" = $1) ' +
      'for no key update',
  ],
] satisfies [string, (transaction: Transaction, tokenHash: string) => Promise<void>, string][])(
  '%s is locked on PostgreSQL, where transactions run at the same time',
  async (_, lock, expected) => {
    const queries = await compileForPostgres((transaction) => lock(transaction, 'hash'));
    expect(queries.map(({ sql, parameters }) => ({ sql, parameters }))).toEqual([
      { sql: expected, parameters: ['hash'] },
    ]);
  },
);

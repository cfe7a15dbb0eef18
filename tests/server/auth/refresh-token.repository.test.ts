/** A session that was refreshed very often is refreshed as quickly as a new one: nothing looks at all tokens of a session. */
import { expect, it } from 'vitest';
import { deleteEncryptedCopy } from '../../../server/auth/refresh-token.repository.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp();

it('the encrypted copy of a token is found by the hash of the token', async () => {
  expect(await readQueryPlan(server, (transaction) => deleteEncryptedCopy(transaction, 'child'))).toMatch(
    /INDEX \w+ \(successor_hash=\?\)/,
  );
});

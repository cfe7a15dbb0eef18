/** Refreshing stays fast for a session that was refreshed very often: no query reads all tokens of a session. */
import { expect, it } from 'vitest';
import { deleteEncryptedCopy } from '../../../server/auth/refresh-token.repository.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp();

it("the encrypted copy of a token is found through an index on the token's hash", async () => {
  expect(
    await readQueryPlan(server, (transaction) => deleteEncryptedCopy.run(transaction, { tokenHash: 'child' })),
  ).toMatch(/INDEX \w+ \(successor_hash=\?\)/);
});

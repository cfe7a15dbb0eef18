/**
 * Row 6 of the matrix: one refresh token is used fifty times at once. One use gets a successor, and the session ends.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sharedHttpServer } from '../harness/http-server.ts';
import { signUp } from '../harness/users.ts';
import { amount, reportFigures, rowTimeout } from './matrix-run.ts';

const row = 6;
const atOnce = 50;
const server = sharedHttpServer();

function refresh(token: string, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  return server.call('refresh', { body: { refresh_token: token }, headers });
}

/** Sends many concurrent requests with one token, and returns their outcomes. */
async function race(token: string, key?: string) {
  const all = await Promise.all(Array.from({ length: atOnce }, () => refresh(token, key)));
  const successors = all.flatMap(({ status, body }) => (status === 200 ? [String(body.refresh_token)] : []));
  const codes = new Set(all.filter(({ status }) => status !== 200).map(({ body }) => body.code));
  return { successors, codes };
}

describe('one refresh token that is used fifty times at once', () => {
  it('gets one successor, and its session ends for everybody', { timeout: rowTimeout() }, async () => {
    for (let turn = 0; turn < amount(row); turn++) {
      const user = await signUp(server);
      const { successors, codes } = await race(user.refreshToken);
      expect(successors, `token ${turn}`).toHaveLength(1);
      expect([...codes], `token ${turn}`).toStrictEqual(['INVALID_TOKEN']);
      // The thief may have the successor, so nobody can continue this session.
      expect((await refresh(successors[0] ?? '')).body.code).toBe('INVALID_TOKEN');
      expect((await server.call('subscriptionStatus', { token: user.token })).body.code).toBe('INVALID_TOKEN');
    }
    reportFigures(row, {
      amount: `${amount(row)} tokens`,
      figures: { requests: amount(row) * atOnce, successors: amount(row) },
    });
  });

  it('gets the same working successor each time with one Idempotency-Key', {
    timeout: rowTimeout(),
  }, async () => {
    const turns = Math.ceil(amount(row) / 10);
    for (let turn = 0; turn < turns; turn++) {
      const { refreshToken } = await signUp(server);
      const { successors } = await race(refreshToken, randomUUID());
      expect(successors).toHaveLength(atOnce);
      const [successor = '', ...others] = [...new Set(successors)];
      expect(others).toStrictEqual([]);
      expect((await refresh(successor)).status).toBe(200);
    }
  });
});

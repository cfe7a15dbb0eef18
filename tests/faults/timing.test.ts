/**
 * Row 15 of the matrix: a response takes as long for an email without an account as for one with, and for a key with
 * the prefix of a valid one as for any other. Both sides are measured in turn, so that other load affects both.
 * Transport: inject.
 */
import { describe, expect, it } from 'vitest';
import { formatApiKey } from '../../shared/formats/api-key.ts';
import { minute } from '../harness/fake-clock.ts';
import { sharedApp } from '../harness/start-app.ts';
import { stringIn } from '../harness/test-client.ts';
import { newEmail, signUp, subscriber } from '../harness/users.ts';
import { amount, reportFigures, rowTimeout, settle } from './matrix-run.ts';

const row = 15;
const server = sharedApp({ LATCHKEY_UNIFORM_LOGIN_ERRORS: '1' });
const attempts = 5;

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

type Sides = {
  readonly one: () => Promise<unknown>;
  readonly other: () => Promise<unknown>;
  /** Runs before each request, and is not measured. */
  readonly prepare?: () => Promise<unknown>;
};

/** Returns how much longer the median of one side is than that of the other, in percent. */
async function compare(pairs: number, { one, other, prepare }: Sides): Promise<number> {
  const took: [number[], number[]] = [[], []];
  for (let pair = 0; pair < pairs; pair++) {
    for (const side of pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      await prepare?.();
      const startedMs = performance.now();
      await (side === 0 ? one() : other());
      took[side].push(performance.now() - startedMs);
    }
  }
  return (median(took[0]) / median(took[1]) - 1) * 100;
}

/**
 * Returns the smallest difference of a few attempts: a real leak shows in each attempt, unlike noise on a busy machine.
 */
async function compareCalmly(pairs: number, sides: Sides): Promise<number> {
  // Warms up, so that nothing is compiled or cached for the first time while it is measured.
  await compare(20, sides);
  const differences: number[] = [];
  while (differences.length < attempts) {
    differences.push(await compare(pairs, sides));
    if (Math.abs(differences.at(-1) ?? 0) < 5) break;
  }
  return differences.toSorted((left, right) => Math.abs(left) - Math.abs(right))[0] ?? 0;
}

const rounded = (percent: number) => Math.round(percent * 10) / 10;

describe('the response time', () => {
  it('does not reveal whether an email has an account', { timeout: rowTimeout() }, async () => {
    const known = await signUp(server);
    const logIn = async (email: string) => {
      expect((await server.call('login', { body: { email, password: 'not the password' } })).status).toBe(401);
    };
    const difference = await compareCalmly(amount(row), {
      one: () => logIn(known.email),
      other: () => logIn(newEmail()),
      // Guesses are rate limited, which is not the subject here.
      prepare: async () => {
        await settle(server);
        server.clock.advance(minute);
      },
    });
    expect(Math.abs(difference), 'percent between the medians').toBeLessThan(5);
    reportFigures(row, { amount: `${amount(row)} pairs`, figures: { '% between emails': rounded(difference) } });
  });

  it('does not reveal whether a key has the prefix of a valid one', { timeout: rowTimeout() }, async () => {
    const { token } = await subscriber(server, 'advanced');
    const valid = stringIn((await server.call('apiKey', { token })).body, 'api_key');
    const secretOf = (key: string) => key.slice('svc_live_'.length);
    const random = () =>
      Array.from({ length: 24 }, () => 'ABCDEFGHJKMNPQRSTVWXYZ'[Math.floor(Math.random() * 22)]).join('');
    const validate = async (secret: string) => {
      const { body } = await server.call('validateApiKey', { body: { api_key: formatApiKey(secret) } });
      expect(body).toMatchObject({ valid: false });
    };
    const similar = () => validate(`${secretOf(valid).slice(0, 16)}${random().slice(0, 8)}`);
    const difference = await compareCalmly(amount(row), { one: similar, other: () => validate(random()) });
    expect(Math.abs(difference), 'percent between the medians').toBeLessThan(5);
    reportFigures(row, { amount: `${amount(row)} pairs`, figures: { '% between keys': rounded(difference) } });
  });
});

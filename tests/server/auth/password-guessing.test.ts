/** Guessing an account's password from many addresses: only a few guesses are tried, and the owner is not affected. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { FairQueue } from '../../../server/accounts/fair-queue.ts';
import { PasswordHasher } from '../../../server/accounts/password-hasher.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { maxKnownNetworks } from '../../../server/auth/known-network.repository.ts';
import { limitsOn } from '../../harness/environment.ts';
import { day, second } from '../../harness/fake-clock.ts';
import { envelope } from '../../harness/response-shapes.ts';
import { sharedApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import { goodPassword, newEmail } from '../../harness/users.ts';

const server = sharedApp({ ...limitsOn, LATCHKEY_UNIFORM_LOGIN_ERRORS: '1' });
const wrongPassword = 'not the password';

let networks = 0;

/** Returns an address in a /24 network of its own. */
function newAddress(): string {
  networks += 1;
  return `10.${Math.floor(networks / 250)}.${networks % 250}.1`;
}

async function newAccount(on: TestApp = server) {
  const email = newEmail();
  const from = newAddress();
  const { status } = await on.call('signup', { body: { email, password: goodPassword }, from });
  expect(status).toBe(200);
  return { email, from };
}

function logIn(email: string, password: string, from: string, on: TestApp = server) {
  return on.call('login', { body: { email, password }, from });
}

/** Returns the statuses of guesses, each from an address of its own by default. */
async function guess(email: string, count: number, createAddress: (index: number) => string = newAddress) {
  const statuses = [];
  for (let index = 0; index < count; index++) {
    statuses.push((await logIn(email, wrongPassword, createAddress(index))).status);
  }
  return statuses;
}

/** The headers that describe the limit which rejected a login, not another limit that still has requests left. */
function describedLimit({ headers }: { headers: Headers }) {
  return ['retry-after', 'ratelimit-policy', 'ratelimit'].map((name) => headers.get(name));
}

/**
 * Records in which order passwords are hashed, and how many had been begun when one from a known network arrived. None
 * is done before that one has arrived.
 */
function watchHashing() {
  const watched: { begun: ('known' | 'unknown')[]; begunBeforeKnown: number } = { begun: [], begunBeforeKnown: -1 };
  const knownArrived = Promise.withResolvers<void>();
  const { run } = FairQueue.prototype;
  const watch = vi.spyOn(FairQueue.prototype, 'run').mockImplementation(function (this: FairQueue, work, turn) {
    if (turn.isPreferred) {
      watched.begunBeforeKnown = watched.begun.length;
      knownArrived.resolve();
    }
    const begin = async () => {
      watched.begun.push(turn.isPreferred ? 'known' : 'unknown');
      await knownArrived.promise;
      return work();
    };
    return run.call(this, begin, turn) as ReturnType<typeof work>;
  });
  onTestFinished(() => watch.mockRestore());
  return watched;
}

const repeated = (status: number, count: number) => Array.from({ length: count }, () => status);

describe('guesses from unknown addresses', () => {
  it('are limited to 20 per minute across all addresses, and rejected without hashing beyond that', async () => {
    const { email } = await newAccount();
    expect(await guess(email, 20)).toStrictEqual(repeated(401, 20));
    const hashes = vi.spyOn(PasswordHasher.prototype, 'verify');
    const rejected = await logIn(email, wrongPassword, newAddress());
    const right = await logIn(email, goodPassword, newAddress());
    expect(hashes).not.toHaveBeenCalled();
    hashes.mockRestore();
    for (const response of [rejected, right]) {
      expect(response.status).toBe(429);
      expect(response.body).toStrictEqual(envelope('RATE_LIMITED'));
      expect(describedLimit(response)).toStrictEqual(['60', '"login-account";q=20;w=60', '"login-account";r=0;t=60']);
    }
    server.clock.advance(60 * second);
    expect((await logIn(email, goodPassword, newAddress())).status).toBe(200);
  });

  it('are limited in the same way for an email without an account', async () => {
    const email = newEmail();
    expect(await guess(email, 22)).toStrictEqual([...repeated(401, 20), 429, 429]);
    expect(await guess(email.toUpperCase(), 1)).toStrictEqual([429]);
  });

  it('are counted exactly when they arrive at once', async () => {
    const { email } = await newAccount();
    const all = await Promise.all(Array.from({ length: 40 }, () => logIn(email, wrongPassword, newAddress())));
    expect(all.map(({ status }) => status).sort()).toStrictEqual([...repeated(401, 20), ...repeated(429, 20)]);
  });

  it('neither lock out the owner nor count against other accounts', async () => {
    const owner = await newAccount();
    const other = await newAccount();
    await guess(owner.email, 22);
    expect((await logIn(owner.email, goodPassword, owner.from)).status).toBe(200);
    expect((await logIn(other.email, goodPassword, newAddress())).status).toBe(200);
  });

  it('do not delay the owner: a login from a known network is served before them', async () => {
    const owner = await newAccount();
    const hashing = watchHashing();
    const flood = Array.from(
      { length: 150 },
      async () => (await logIn(newEmail(), wrongPassword, newAddress())).status,
    );
    await expect.poll(() => hashing.begun.length).toBeGreaterThan(0);
    expect((await logIn(owner.email, goodPassword, owner.from)).status).toBe(200);
    const statuses = await Promise.all(flood);
    expect(new Set(statuses)).toStrictEqual(new Set([401, 503]));
    const place = hashing.begun.indexOf('known');
    expect(place).toBe(hashing.begunBeforeKnown);
    expect(hashing.begun.slice(place + 1)).toContain('unknown');
  });

  it.each([
    ['IPv6 /48', (index: number) => `2001:db8:9:${index.toString(16)}::1`, '2001:db8:a::1'],
    ['IPv4 /24', (index: number) => `192.0.2.${index}`, '198.51.100.1'],
  ])('against many accounts from one %s are limited to 100 per minute', async (_, addressOf, elsewhere) => {
    const statuses = [];
    for (let index = 0; index < 102; index++) statuses.push(...(await guess(newEmail(), 1, () => addressOf(index))));
    expect(statuses).toStrictEqual([...repeated(401, 100), 429, 429]);
    server.clock.advance(20 * second);
    const rejected = await logIn(newEmail(), wrongPassword, addressOf(103));
    expect(describedLimit(rejected)).toStrictEqual(['40', '"login-network";q=100;w=60', '"login-network";r=0;t=40']);
    expect(await guess(newEmail(), 1, () => elsewhere)).toStrictEqual([401]);
  });
});

describe('a network that an account has signed in from', () => {
  it('is known after a login and also after a refresh', async () => {
    const { email, from } = await newAccount();
    const [second, third] = [newAddress(), newAddress()];
    const { body } = await logIn(email, goodPassword, second);
    await server.call('refresh', { body: { refresh_token: body.refresh_token }, from: third });
    await guess(email, 22);
    for (const address of [from, second, third]) {
      expect((await logIn(email, goodPassword, address)).status).toBe(200);
    }
  });

  it('is an IPv6 /64', async () => {
    const { email } = await newAccount();
    expect((await logIn(email, goodPassword, '2001:db8:1:1::7')).status).toBe(200);
    await guess(email, 22);
    expect((await logIn(email, goodPassword, '2001:db8:1:1:ffff::9')).status).toBe(200);
    expect((await logIn(email, goodPassword, '2001:db8:1:2::7')).status).toBe(429);
  });

  it('is not known for any other account', async () => {
    const [one, other] = [await newAccount(), await newAccount()];
    await guess(other.email, 22);
    expect((await logIn(other.email, goodPassword, one.from)).status).toBe(429);
  });

  it(`is one of the ${maxKnownNetworks} most recently used`, async () => {
    const { email, from } = await newAccount();
    const addresses = Array.from({ length: maxKnownNetworks }, newAddress);
    for (const address of addresses) {
      server.clock.advance(60 * second);
      expect((await logIn(email, goodPassword, address)).status).toBe(200);
    }
    await guess(email, 22);
    expect((await logIn(email, goodPassword, from)).status).toBe(429);
    for (const address of addresses) expect((await logIn(email, goodPassword, address)).status).toBe(200);
  });

  it('stays among them when it is used again', async () => {
    const { email, from } = await newAccount();
    const [first = '', ...others] = Array.from({ length: maxKnownNetworks - 1 }, newAddress);
    for (const address of [first, ...others]) {
      server.clock.advance(60 * second);
      expect((await logIn(email, goodPassword, address)).status).toBe(200);
    }
    for (const address of [from, newAddress()]) {
      server.clock.advance(24 * 3600 * second);
      expect((await logIn(email, goodPassword, address)).status).toBe(200);
    }
    await guess(email, 22);
    expect((await logIn(email, goodPassword, first)).status).toBe(429);
    for (const address of [from, ...others]) expect((await logIn(email, goodPassword, address)).status).toBe(200);
  });

  it('is no longer known after a password change, until the next sign-in', async () => {
    const [owner, other] = [await newAccount(), await newAccount()];
    const stranger = newAddress();
    const { body } = await logIn(owner.email, goodPassword, stranger);
    const newPassword = 'another quiet lantern 12';
    await server.services.passwords.set(owner.email, newPassword, byCommand);
    // An earlier refresh token does not bring its network back.
    const refreshed = await server.call('refresh', { body: { refresh_token: body.refresh_token }, from: stranger });
    expect(refreshed.status).toBe(401);
    expect((await logIn(owner.email, newPassword, owner.from)).status).toBe(200);
    for (const { email } of [owner, other]) await guess(email, 22);
    expect((await logIn(owner.email, newPassword, stranger)).status).toBe(429);
    expect((await logIn(owner.email, newPassword, owner.from)).status).toBe(200);
    expect((await logIn(other.email, goodPassword, other.from)).status).toBe(200);
  });

  it('has its use written at most once a day', async () => {
    const app = await startTestApp();
    const { email, from } = await newAccount(app);
    const lastUse = async () => {
      const rows = await app.database.read.selectFrom('known_networks').select('last_used_at_ms').execute();
      return rows.map(({ last_used_at_ms }) => last_used_at_ms);
    };
    const firstUse = await lastUse();
    app.clock.advance(day - 1);
    await logIn(email, goodPassword, from, app);
    expect(await lastUse()).toStrictEqual(firstUse);
    app.clock.advance(1);
    await logIn(email, goodPassword, from, app);
    expect(await lastUse()).toStrictEqual([app.now()]);
  });

  it('is stored in a form that does not reveal it', async () => {
    const { from } = await newAccount();
    const rows = await server.database.read.selectFrom('known_networks').selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(from);
    expect(new Set(rows.map(({ network_hash }) => network_hash)).size).toBe(rows.length);
  });
});

it('when responses reveal that an account does not exist, its email does not count towards the limit of an account', async () => {
  const app = await startTestApp();
  const email = newEmail();
  for (let turn = 0; turn < 21; turn++) expect((await logIn(email, 'wrong', newAddress(), app)).status).toBe(404);
});

it('a malformed email address is treated like an account that does not exist', async () => {
  expect((await logIn('no address', 'wrong', newAddress())).body).toStrictEqual(envelope('INVALID_CREDENTIALS'));
});

it('with LATCHKEY_RATE_LOGIN at 0, unknown addresses are still limited, and known networks are not', async () => {
  const unlimited = await startTestApp({ LATCHKEY_UNIFORM_LOGIN_ERRORS: '1' });
  const { email, from } = await newAccount(unlimited);
  const statuses = [];
  for (let turn = 0; turn < 22; turn++) statuses.push((await logIn(email, 'wrong', '192.0.2.1', unlimited)).status);
  expect(statuses).toStrictEqual([...repeated(401, 20), 429, 429]);
  expect((await logIn(email, goodPassword, from, unlimited)).status).toBe(200);
});

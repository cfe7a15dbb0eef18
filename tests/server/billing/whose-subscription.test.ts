/**
 * Which account an event of a billing provider changes: what a buyer types or edits is not trusted. Transport: inject.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AccountService } from '../../../server/accounts/account.service.ts';
import { toRow } from '../../../server/accounts/account.ts';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { insertRows } from '../../../server/database/queries.ts';
import { day, minute, second } from '../../harness/fake-clock.ts';
import { sharedApp, startApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import { removeFolder } from '../../harness/temporary-folder.ts';
import { stringIn } from '../../harness/test-client.ts';
import type { Json } from '../../harness/test-server.ts';
import { activate, isoFromNow, issueLicense, newEmail, signUp, type User } from '../../harness/users.ts';
import {
  type LemonPurchase,
  lemonEvents,
  newLemonPurchase,
  newNumber,
  providerSettings,
  sendLemon,
} from './provider-events.ts';

const settings = {
  ...providerSettings,
  LATCHKEY_BILLING_PRICES: '11=standard,12=advanced,13=team',
  LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
  LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
};
const server = sharedApp(settings);

type Purchase = LemonPurchase & {
  readonly status?: string;
  /** Days until the renewal. */
  readonly days?: number;
};

const newPurchase = (email: string, fields: Partial<Purchase> = {}): Purchase => newLemonPurchase(email, fields);

/**
 * Sends the current state of the purchase as Lemon Squeezy does. Resolves with the event as `billing list` shows it.
 */
async function say(purchase: Purchase, at: TestApp = server): Promise<Json> {
  at.clock.advance(second);
  const { status = 'active', days = 30 } = purchase;
  const state = { status, renews_at: isoFromNow(at, days * day) };
  const event = lemonEvents(purchase).subscription('subscription_updated', at.now(), at.now(), state);
  expect(await sendLemon(at, event)).toBe(200);
  const [shown] = (await at.admin('billing', 'list', '--limit', '1')) as unknown as readonly Json[];
  return shown ?? {};
}

/** Inserts `count` copies of this event. */
async function repeatDeadLetter(at: TestApp, id: string, count: number): Promise<void> {
  const { read } = at.database;
  const row = await read.selectFrom('billing_events').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const rows = Array.from({ length: count }, () => ({ ...row, id: randomUUID(), event_id: randomUUID() }));
  await at.database.write((transaction) => insertRows(transaction, 'billing_events', rows));
}

async function countDeadLetters(at: TestApp): Promise<number> {
  const { read } = at.database;
  return (await read.selectFrom('billing_events').select('id').where('state', '=', 'dead_letter').execute()).length;
}

const subscriptionOf = async ({ token }: Pick<User, 'token'>, at: TestApp = server) =>
  (await at.call('subscriptionStatus', { token })).body.subscription;

async function newConfirmed(email = newEmail(), at: TestApp = server): Promise<User> {
  const user = await signUp(at, email);
  await confirm(user, at);
  return user;
}

/** Confirms the email as the link in the mail does. */
async function confirm({ id, email }: Pick<User, 'id' | 'email'>, at: TestApp = server) {
  const { database, services } = at;
  const token = await database.write((transaction) =>
    services.mailTokens.create(transaction, { userId: id, purpose: 'confirm_email', email }),
  );
  await services.emailChange.confirm(String(token), { address: '192.0.2.1', language: 'en' });
}

async function signIn({ email, password }: User, at: TestApp = server): Promise<Json> {
  return (await at.call('login', { body: { email, password } })).body;
}

async function checkoutToken({ token }: Pick<User, 'token'>, at: TestApp = server): Promise<string> {
  return stringIn((await at.call('checkoutToken', { token })).body, 'token');
}

const unconfirmed = { state: 'dead_letter', reason: expect.stringContaining('has not confirmed it') };

describe('data that a buyer adds to a checkout link', () => {
  it('chooses neither the plan nor the account', async () => {
    const [buyer, victim] = [await newConfirmed(), await newConfirmed()];
    await say(newPurchase(buyer.email, { custom: { plan: 'advanced', email: victim.email } }));
    expect(await subscriptionOf(buyer)).toMatchObject({ plan: 'standard' });
    expect(await subscriptionOf(victim)).toBeNull();
  });

  it('cannot choose a plan if the variant has none', async () => {
    const buyer = await newConfirmed();
    const kept = await say(newPurchase(buyer.email, { variant: 99, custom: { plan: 'advanced' } }));
    expect(kept).toMatchObject({ state: 'dead_letter', reason: 'No plan is set for this price.' });
    expect(await subscriptionOf(buyer)).toBeNull();
  });
});

describe('a checkout token', () => {
  it('identifies the account, whatever email the buyer types, even for later events without it', async () => {
    const user = await signUp(server);
    const purchase = newPurchase(newEmail(), { custom: { token: await checkoutToken(user) } });
    expect(await say(purchase)).toMatchObject({ state: 'applied', email: user.email });
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'standard', status: 'active' });
    await say({ ...purchase, custom: {}, status: 'past_due' });
    expect(await subscriptionOf(user)).toMatchObject({ status: 'past_due' });
    await expect(server.services.accounts.getByEmail(purchase.email)).rejects.toMatchObject({ code: 'USER_NOT_FOUND' });
  });

  it('is not accepted after a day, when modified, or in place of another token', async () => {
    const [user, victim] = [await newConfirmed(), await newConfirmed()];
    const expired = await checkoutToken(victim);
    server.clock.advance(day);
    const token = await checkoutToken({ token: stringIn(await signIn(victim), 'access_token') });
    const [header, payload = '', signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: victim.id, exp: claims.exp + 1 })).toString(
      'base64url',
    );
    const tokens = [expired, `${header}.${forged}.${signature}`, `${header}.${payload}.AAAA`, victim.token, 'x', ''];
    for (const wrong of tokens) {
      const purchase = newPurchase(user.email, { custom: { token: wrong } });
      expect(await say(purchase), wrong).toMatchObject({ state: 'applied', email: user.email });
    }
    for (const custom of [{ token: 7 }, { token: ['x'] }, { token: 'x'.repeat(3000) }]) {
      expect(await say(newPurchase(user.email, { custom }))).toMatchObject({ email: user.email });
    }
    expect(await server.services.subscriptions.get(victim.id)).toBeUndefined();
    const response = await server.call('subscriptionStatus', { token });
    expect([response.status, response.body.code]).toEqual([401, 'INVALID_TOKEN']);
  });

  it('is only for signed-in users, and says until when it is valid', async () => {
    expect((await server.call('checkoutToken')).body.code).toBe('INVALID_TOKEN');
    const user = await signUp(server);
    const { body } = await server.call('checkoutToken', { token: user.token });
    expect(body.expires_at).toBe(new Date(Math.floor(server.now() / 1000) * 1000 + day).toISOString());
  });

  it('is accepted until the moment that it says, even if the keys are replaced meanwhile', async () => {
    const user = await signUp(server);
    const { token, expires_at } = (await server.call('checkoutToken', { token: user.token })).body;
    await server.admin('key', 'rotate');
    const endMs = Date.parse(String(expires_at));
    server.clock.setNow(endMs);
    for (const { atMs, isAccepted } of [
      { atMs: endMs - 1, isAccepted: true },
      { atMs: endMs, isAccepted: false },
    ]) {
      const purchase = newLemonPurchase(newEmail(), { custom: { token } });
      expect(await sendLemon(server, lemonEvents(purchase).subscription('subscription_created', atMs))).toBe(200);
      const [event] = (await server.admin('billing', 'list', '--limit', '1')) as unknown as readonly Json[];
      expect(event).toMatchObject({ state: 'applied', email: isAccepted ? user.email : purchase.email });
    }
  });

  it("does not redirect later purchases of the typed email's owner to the account of the token", async () => {
    const [thief, victim] = [await signUp(server), await newConfirmed()];
    // The provider identifies its customers only by their email.
    const customer = newNumber();
    await say(newPurchase(victim.email, { customer, custom: { token: await checkoutToken(thief) } }));
    await say(newPurchase(victim.email, { customer, variant: 12 }));
    expect(await subscriptionOf(victim)).toMatchObject({ plan: 'advanced' });
    expect(await subscriptionOf(thief)).toMatchObject({ plan: 'standard' });
  });
});

describe('an email that a buyer types', () => {
  it('is not trusted for an account with an unconfirmed email: the event is applied after the confirmation', async () => {
    const user = await signUp(server);
    const purchase = newPurchase(user.email.toUpperCase());
    expect(await say(purchase)).toMatchObject(unconfirmed);
    expect(await subscriptionOf(user)).toBeNull();
    await confirm(user);
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'standard', status: 'active' });
  });

  it('is not trusted until then, even with spaces around it or after very many events that cannot be applied', async () => {
    const at = await startTestApp(settings);
    const user = await signUp(at);
    const unmapped = newPurchase(user.email, { variant: 99 });
    for (let count = 0; count < 25; count++) await say(unmapped, at);
    expect(await say(newPurchase(` ${user.email.toUpperCase()} `), at)).toMatchObject(unconfirmed);
    await confirm(user, at);
    expect(await subscriptionOf(user, at)).toMatchObject({ plan: 'standard', status: 'active' });
  });

  it('does not prevent purchases of the owner from being applied, however many events others caused with it', async () => {
    const at = await startTestApp(settings);
    const user = await signUp(at);
    const { id } = await say(newPurchase(user.email), at);
    await repeatDeadLetter(at, String(id), 1100);
    await say(newPurchase(user.email, { variant: 12 }), at);
    await confirm(user, at);
    await at.services.billing.applyDeadLetters(async () => true);
    expect(await subscriptionOf(user, at)).toMatchObject({ plan: 'advanced', status: 'active' });
    expect(await countDeadLetters(at)).toBe(0);
  });

  it('does not hold up others once it is confirmed, however many events wait for it: each write applies at most fifty', async () => {
    const at = await startTestApp(settings);
    const user = await signUp(at);
    const { id } = await say(newPurchase(user.email), at);
    await repeatDeadLetter(at, String(id), 197);
    await confirm(user, at);
    const left = [await countDeadLetters(at)];
    await at.services.billing.applyDeadLetters(async () => {
      left.push(await countDeadLetters(at));
      return true;
    });
    expect(left).toStrictEqual([148, 98, 48, 0]);
  });

  it('has its events applied at the next start if the process ended before', async () => {
    const at = await startTestApp(settings);
    const [user, unconfirmedUser] = [await signUp(at), await signUp(at)];
    const { id } = await say(newPurchase(user.email.toUpperCase()), at);
    await say(newPurchase(unconfirmedUser.email), at);
    await repeatDeadLetter(at, String(id), 99);
    await confirm(user, at);
    const next = await startApp(settings, { clock: at.clock, dataFolder: at.dataFolder });
    onTestFinished(() => next.stop());
    await next.services.billing.applyDeadLetters(async () => true);
    expect(await countDeadLetters(at)).toBe(1);
  });

  it('is still marked as typed after later events and a confirmation by the account', async () => {
    const user = await signUp(server, `Ada-${newEmail()}`);
    const purchase = newPurchase(user.email.toLowerCase());
    await say(purchase);
    await confirm(user);
    const isTyped = async () =>
      (await server.services.subscriptions.listInUse(server.database.read, user.id)).map((row) => row.by_typed_email);
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'standard' });
    expect(await isTyped()).toEqual([1]);
    await say({ ...purchase, variant: 12 });
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'advanced' });
    expect(await isTyped()).toEqual([1]);
  });

  it('is not trusted on a retry unless staff confirm it', async () => {
    const user = await signUp(server);
    const { id } = await say(newPurchase(user.email));
    expect(await server.services.billing.retry(String(id), byCommand)).toMatchObject(unconfirmed);
    expect(await server.services.accounts.get(user.id)).toMatchObject({ emailConfirmedAtMs: undefined });
  });

  it('is confirmed even if this version cannot read an event that waits for it, and others are applied', async () => {
    const user = await signUp(server);
    const { id } = await say(newPurchase(user.email));
    await say(newPurchase(user.email));
    await server.database.write((transaction) =>
      transaction.updateTable('billing_events').set({ payload: '{}' }).where('id', '=', String(id)).execute(),
    );
    await confirm(user);
    expect(await server.services.accounts.get(user.id)).toMatchObject({ emailConfirmedAtMs: expect.any(Number) });
    expect(await server.services.subscriptions.get(user.id)).toMatchObject({ plan: 'standard', status: 'active' });
    const kept = { state: 'dead_letter', reason: 'This version of the server cannot read the event.', payload: {} };
    expect(await server.services.billing.retry(String(id), byCommand)).toMatchObject({ ...kept, email: user.email });
  });

  it('is confirmed even if the provider of an event that waits for it is no longer configured', async () => {
    const before = await startApp(settings);
    const user = await signUp(before);
    await say(newPurchase(user.email), before);
    await before.stop();
    const after = await startApp({ LATCHKEY_SMTP_URL: settings.LATCHKEY_SMTP_URL }, before);
    await confirm(user, after);
    expect(await after.admin('billing', 'list')).toMatchObject([unconfirmed]);
    await after.stop();
    removeFolder(after.dataFolder);
  });

  it('is trusted from then on if staff confirm it', async () => {
    const user = await signUp(server);
    const kept = await say(newPurchase(user.email));
    await expect(server.admin('billing', 'retry', String(kept.id))).rejects.toThrow('has not confirmed it');
    const retried = await server.admin('billing', 'retry', String(kept.id), '--confirm-email');
    expect(retried).toMatchObject({ state: 'applied', reason: null });
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'standard' });
    expect(await say(newPurchase(user.email, { variant: 12 }))).toMatchObject({ state: 'applied' });
    const entries = (await server.admin('audit', 'list', '--limit', '20')) as unknown as readonly Json[];
    expect(entries.map(({ action }) => action)).toContain('account.email_confirm');
  });

  it('is trusted for all waiting events if staff confirm it for one, even if the retried subscription has since ended', async () => {
    const user = await signUp(server);
    const purchase = newPurchase(user.email);
    const kept = await say(purchase);
    expect(await say({ ...purchase, status: 'expired' })).toMatchObject(unconfirmed);
    expect(await say(newPurchase(user.email, { variant: 12 }))).toMatchObject(unconfirmed);
    await server.admin('billing', 'retry', String(kept.id), '--confirm-email');
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'advanced', status: 'active' });
    const others = await server.services.subscriptions.listOthers(user.id);
    expect(others).toMatchObject([{ plan: 'standard', status: 'expired' }]);
  });

  it('is trusted if staff confirm it, however many events wait for it', async () => {
    const at = await startTestApp(settings);
    const user = await signUp(at);
    const { id } = await say(newPurchase(user.email), at);
    await repeatDeadLetter(at, String(id), 120);
    await at.admin('billing', 'retry', String(id), '--confirm-email');
    expect(await countDeadLetters(at)).toBe(0);
  });

  it('is trusted if there is no account, which is created without a password, and for the next purchase too', async () => {
    const email = newEmail();
    expect(await say(newPurchase(email))).toMatchObject({ state: 'applied' });
    expect(await say(newPurchase(email, { variant: 12 }))).toMatchObject({ state: 'applied' });
    const { id } = await server.services.accounts.getByEmail(email);
    expect(await server.services.subscriptions.get(id)).toMatchObject({ plan: 'advanced' });
  });

  it('is not trusted for an account that a stranger signs up with at the same moment', async () => {
    const at = await startTestApp(settings);
    const email = newEmail();
    const { findByEmail } = AccountService.prototype;
    const finding = vi.spyOn(AccountService.prototype, 'findByEmail');
    onTestFinished(() => finding.mockRestore());
    // On PostgreSQL, another transaction may commit between two queries.
    finding.mockImplementationOnce(async function (this: AccountService, address, executor = at.database.read) {
      const found = await findByEmail.call(this, address, executor);
      const user = { id: randomUUID(), email, full_name: '' };
      const row = toRow({ user, emailKey: email, passwordHash: 'of a stranger', createdAtMs: at.now() });
      await executor.insertInto('users').values(row).execute();
      return found;
    });
    expect(await say(newPurchase(email), at)).toMatchObject(unconfirmed);
  });

  it('is trusted once an account that changes its address to it has confirmed it', async () => {
    const user = await newConfirmed();
    const email = newEmail();
    const other = await signUp(server, email);
    await say(newPurchase(email));
    await server.services.accounts.remove(other.email, { actor: { kind: 'anonymous' } });
    const { database, services } = server;
    const token = await database.write((transaction) =>
      services.mailTokens.create(transaction, { userId: user.id, purpose: 'change_email', email }),
    );
    await services.emailChange.confirm(String(token), { address: '192.0.2.1', language: 'en' });
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'standard' });
  });
});

describe('a paid subscription', () => {
  it('is not taken away by a trial that a stranger starts and ends with the same email', async () => {
    const victim = await newConfirmed();
    await say(newPurchase(victim.email, { variant: 12 }));
    const trial = newPurchase(victim.email, { status: 'on_trial' });
    for (const status of ['on_trial', 'cancelled', 'expired']) {
      await say({ ...trial, status });
      expect(await subscriptionOf(victim), status).toMatchObject({ plan: 'advanced', status: 'active' });
    }
  });

  it('stays with its account when the address changes and somebody else gets the old one', async () => {
    const user = await newConfirmed();
    const purchase = newPurchase(user.email);
    await say(purchase);
    const { database, services } = server;
    await database.write((transaction) =>
      services.accounts.changeEmail(transaction, { id: user.id, email: newEmail() }, { actor: { kind: 'anonymous' } }),
    );
    const stranger = await newConfirmed(user.email);
    await say({ ...purchase, status: 'past_due' });
    expect(await subscriptionOf(user)).toMatchObject({ status: 'past_due' });
    expect(await say({ ...purchase, subscription: newNumber(), variant: 12 })).toMatchObject({ state: 'applied' });
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'advanced' });
    expect(await subscriptionOf(stranger)).toBeNull();
  });

  it('counts again from its next event on, after staff set another one', async () => {
    const user = await newConfirmed();
    const purchase = newPurchase(user.email, { variant: 12 });
    await say(purchase);
    await server.admin('subscription', 'set', user.email, '--plan', 'free');
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'free' });
    expect(await server.admin('user', 'show', user.email)).toMatchObject({
      subscription: { plan: 'free' },
      other_subscriptions: [{ plan: 'advanced', source: 'lemonsqueezy', is_replaced: true }],
    });
    await say(purchase);
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'advanced' });
    await say({ ...purchase, status: 'expired' });
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'free', status: 'active' });
  });

  it('counts again from an event of the same moment as its last one, and from one that arrives late', async () => {
    const user = await newConfirmed();
    const purchase = newLemonPurchase(user.email, { variant: 12 });
    const atMs = server.now();
    const isSent = (name: string, eventAtMs: number) =>
      sendLemon(server, lemonEvents(purchase).subscription(name, eventAtMs, atMs));
    const planNow = async () => (await server.services.subscriptions.get(user.id))?.plan;
    expect(await isSent('subscription_created', atMs)).toBe(200);
    await server.admin('subscription', 'set', user.email, '--plan', 'free');
    server.clock.advance(7 * day);
    expect(await isSent('subscription_updated', atMs)).toBe(200);
    expect(await planNow()).toBe('advanced');
    await server.admin('subscription', 'set', user.email, '--plan', 'free');
    server.clock.advance(day);
    expect(await isSent('subscription_updated', atMs + second)).toBe(200);
    expect(await planNow()).toBe('advanced');
    expect(await isSent('subscription_paused', atMs + second)).toBe(200);
    expect((await server.admin('billing', 'list', '--limit', '1')) as unknown).toMatchObject([{ state: 'applied' }]);
  });

  it('keeps its plan, and the event is kept, if it continues at a price for which no plan is set', async () => {
    const user = await newConfirmed();
    const purchase = newPurchase(user.email, { variant: 12 });
    await say(purchase);
    const reason = 'No plan is set for this price.';
    expect(await say({ ...purchase, variant: 99 })).toMatchObject({ state: 'dead_letter', reason });
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'advanced' });
  });

  it('is ended by an event at a price for which no plan is set, if its period is over', async () => {
    const user = await newConfirmed();
    const purchase = newPurchase(user.email, { variant: 12 });
    await say(purchase);
    const ended = await say({ ...purchase, variant: 99, status: 'cancelled', days: -1 });
    expect(ended).toMatchObject({ state: 'applied', email: user.email });
    expect(await subscriptionOf(user)).toMatchObject({ plan: 'advanced', status: 'expired' });
  });

  it('does not count again because an old event is repeated after its record was deleted', async () => {
    const at = await startTestApp(settings);
    const { email } = await signUp(at);
    const atMs = at.now();
    const purchase = newLemonPurchase(email);
    const created = lemonEvents(purchase).subscription('subscription_created', atMs, atMs, {
      renews_at: isoFromNow(at, 500 * day),
    });
    const user = await at.services.accounts.getByEmail(email);
    await at.database.write((transaction) => at.services.accounts.confirmEmail(transaction, user.id));
    const planNow = async () => (await at.services.subscriptions.get(user.id))?.plan;
    expect(await sendLemon(at, created)).toBe(200);
    expect(await planNow()).toBe('standard');
    await at.admin('subscription', 'set', email, '--plan', 'free');
    at.clock.advance(400 * day);
    await at.database.write((transaction) => transaction.deleteFrom('billing_events').execute());
    expect(await sendLemon(at, created)).toBe(200);
    expect(await planNow()).toBe('free');
  });

  it('is not created again by an event older than its end, after its account and event records were deleted', async () => {
    const at = await startTestApp(settings);
    const [email, atMs] = [newEmail(), at.now()];
    const events = lemonEvents(newLemonPurchase(email));
    const renewed = { renews_at: isoFromNow(at, 500 * day) };
    const created = events.subscription('subscription_created', atMs, atMs, renewed);
    const expired = { status: 'expired', ends_at: isoFromNow(at, minute) };
    expect(await sendLemon(at, created)).toBe(200);
    at.clock.advance(minute);
    expect(await sendLemon(at, events.subscription('subscription_expired', at.now(), atMs, expired))).toBe(200);
    await at.services.accounts.remove(email, byCommand);
    at.clock.advance(10 * day);
    await at.database.write((transaction) => transaction.deleteFrom('billing_events').execute());
    expect(await sendLemon(at, created)).toBe(200);
    expect(await at.admin('billing', 'list')).toMatchObject([{ state: 'outdated' }]);
    await expect(at.services.accounts.getByEmail(email)).rejects.toThrow();
  });

  it('is replaced by a remaining one when its period ends, without another event', async () => {
    const at = await startTestApp(settings);
    const user = await newConfirmed(newEmail(), at);
    await say(newPurchase(user.email, { variant: 12 }), at);
    at.clock.advance(20 * day);
    await say(newPurchase(user.email), at);
    at.clock.advance(10 * day - minute);
    const token = stringIn(await signIn(user, at), 'access_token');
    expect(await subscriptionOf({ token }, at)).toMatchObject({ plan: 'advanced' });
    at.clock.advance(minute);
    expect(await subscriptionOf({ token }, at)).toMatchObject({ plan: 'standard', status: 'active' });
  });
});

describe('a subscription that somebody else buys with the email of an account', () => {
  /** Creates an account with a subscription bought with a checkout token. */
  async function newBuyer(fields: Partial<Purchase> = {}, at: TestApp = server): Promise<User> {
    const user = await newConfirmed(newEmail(), at);
    await say(newPurchase(newEmail(), { custom: { token: await checkoutToken(user, at) }, ...fields }), at);
    return user;
  }
  const status = async (user: User, at: TestApp = server) =>
    (await at.call('subscriptionStatus', { token: stringIn(await signIn(user, at), 'access_token') })).body;

  it('takes away no features of a standalone license, neither while it lasts nor once it has ended', async () => {
    const user = await newConfirmed();
    const { key } = await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    await activate(server, user, key);
    const { features } = await status(user);
    const purchase = newPurchase(user.email, { status: 'on_trial' });
    expect(await say(purchase)).toMatchObject({ state: 'applied' });
    expect(await status(user)).toMatchObject({ features });
    await say({ ...purchase, status: 'expired' });
    expect(await status(user)).toMatchObject({ features });
  });

  it('adds its features to those of a standalone license', async () => {
    const user = await newConfirmed();
    const { key } = await issueLicense(server, '--email', user.email, '--plan', 'standard');
    await activate(server, user, key);
    await say(newPurchase(user.email, { variant: 12 }));
    expect(await status(user)).toMatchObject({ features: { max_devices: 10 } });
  });

  it('takes away no feature of the plan that the account paid for, and gives those of a plan that has more', async () => {
    const at = await startTestApp({ ...settings, LATCHKEY_BILLING_PRICES: '11=standard,12=advanced,13=team' });
    await at.admin('plan', 'set', 'team', '--max-devices', '20');
    const user = await newBuyer({}, at);
    const key = stringIn((await at.call('apiKey', { token: user.token })).body, 'api_key');
    const { features } = await status(user, at);
    await say(newPurchase(user.email, { variant: 13, status: 'on_trial' }), at);
    expect(await status(user, at)).toMatchObject({ features, subscription: { plan: 'standard' } });
    const validated = await at.call('validateApiKey', { body: { api_key: key } });
    expect(validated.body).toMatchObject({ valid: true, plan: 'standard' });
    await say(newPurchase(user.email, { variant: 12 }), at);
    expect(await status(user, at)).toMatchObject({ subscription: { plan: 'advanced' } });
  });

  /** Returns the plan and the number of days of the lease that the device gets now. */
  async function readLease(user: User, deviceId: string) {
    const token = stringIn(await signIn(user), 'access_token');
    const { body } = await server.call('lease', { token, body: { device_id: deviceId } });
    const [, payload = ''] = stringIn(body, 'lease').split('.');
    const { plan } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return { plan, days: Math.round((Date.parse(stringIn(body, 'expires_at')) - server.now()) / day) };
  }
  async function activateFollowing(user: User) {
    const { key } = await issueLicense(server, '--email', user.email, '--with-subscription', '--plan', 'standard');
    return (await activate(server, user, key)).deviceId;
  }

  it('does not shorten the leases of the account', async () => {
    const user = await newBuyer();
    const deviceId = await activateFollowing(user);
    expect(await readLease(user, deviceId)).toEqual({ plan: 'standard', days: 14 });
    await say(newPurchase(user.email, { variant: 12, status: 'on_trial', days: 1 }));
    expect(await status(user)).toMatchObject({ subscription: { plan: 'advanced' } });
    expect(await readLease(user, deviceId)).toEqual({ plan: 'standard', days: 14 });
    await say(newPurchase(user.email, { variant: 12, status: 'on_trial', days: 2 + 2 / day }));
    server.clock.advance(2 * day);
    expect(await status(user)).toMatchObject({ subscription: { plan: 'advanced' } });
    expect(await readLease(user, deviceId)).toEqual({ plan: 'standard', days: 14 });
  });

  it('takes away no features in the leases of the account, even if its own period ends first', async () => {
    const user = await newConfirmed();
    await say(newPurchase(user.email, { variant: 12, days: 2 }));
    const deviceId = await activateFollowing(user);
    const lease = await readLease(user, deviceId);
    expect(lease).toEqual({ plan: 'advanced', days: 2 });
    await say(newPurchase(user.email, { status: 'on_trial' }));
    expect(await readLease(user, deviceId)).toEqual(lease);
  });

  it('takes away no features in the leases of the account if there are several such subscriptions', async () => {
    await server.admin('plan', 'set', 'team', '--max-devices', '20');
    const user = await newBuyer({ days: 2 });
    const deviceId = await activateFollowing(user);
    const lease = await readLease(user, deviceId);
    expect(lease).toEqual({ plan: 'standard', days: 2 });
    await say(newPurchase(user.email, { variant: 12, status: 'on_trial', days: 1 }));
    await say(newPurchase(user.email, { variant: 13, status: 'on_trial' }));
    expect(await readLease(user, deviceId)).toEqual(lease);
  });

  it('does not affect the lease of a standalone license, even if a newer license depends on a subscription', async () => {
    const user = await newConfirmed();
    const { key } = await issueLicense(server, '--email', user.email, '--plan', 'advanced');
    const { deviceId } = await activate(server, user, key);
    server.clock.advance(second);
    await server.admin('subscription', 'set', user.email, '--plan', 'standard');
    const newer = await issueLicense(server, '--email', user.email, '--with-subscription', '--plan', 'standard');
    await activate(server, user, newer.key, deviceId);
    await server.admin('subscription', 'set', user.email, '--plan', 'standard', '--status', 'expired');
    const lease = await readLease(user, deviceId);
    expect(lease).toEqual({ plan: 'advanced', days: 14 });
    await say(newPurchase(user.email, { status: 'on_trial', days: 1 }));
    expect(await readLease(user, deviceId)).toEqual(lease);
  });

  it('counts like any other subscription of the account if staff confirmed the email', async () => {
    const at = await startTestApp({ ...settings, LATCHKEY_BILLING_PRICES: '11=standard,13=team' });
    await at.admin('plan', 'set', 'team', '--max-devices', '20');
    const user = await signUp(at);
    await say(newPurchase(newEmail(), { custom: { token: await checkoutToken(user, at) } }), at);
    const purchase = newPurchase(user.email, { variant: 13 });
    const kept = await say(purchase, at);
    await at.admin('billing', 'retry', String(kept.id), '--confirm-email');
    expect(await status(user, at)).toMatchObject({ subscription: { plan: 'team' } });
    await say(purchase, at);
    expect(await status(user, at)).toMatchObject({ subscription: { plan: 'team' } });
    await say({ ...purchase, subscription: newNumber(), status: 'expired' }, at);
    expect(await status(user, at)).toMatchObject({ subscription: { plan: 'team' } });
  });

  it('counts like any other subscription of the account once an event has its checkout token', async () => {
    const at = await startTestApp({ ...settings, LATCHKEY_BILLING_PRICES: '11=standard,13=team' });
    await at.admin('plan', 'set', 'team', '--max-devices', '20');
    const user = await newBuyer({}, at);
    const purchase = newPurchase(user.email, { variant: 13 });
    await say(purchase, at);
    expect(await status(user, at)).toMatchObject({ subscription: { plan: 'standard' } });
    await say({ ...purchase, custom: { token: await checkoutToken(user, at) } }, at);
    expect(await status(user, at)).toMatchObject({ subscription: { plan: 'team' } });
    await say(purchase, at);
    expect(await status(user, at)).toMatchObject({ subscription: { plan: 'team' } });
  });
});

/**
 * Billing events that arrive simultaneously on PostgreSQL, where transactions run in parallel: none misses the other.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { lockUser } from '../../../server/database/row-locks.ts';
import { day } from '../../harness/fake-clock.ts';
import { deadlocks, findPostgres, lockWaits, query } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { startTestApp } from '../../harness/start-app.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';
import { goodPassword, newEmail, signUp } from '../../harness/users.ts';
import { billingSecret, sendEvent, subscriptionEvent } from './billing-events.ts';
import {
  type LemonPurchase,
  lemonEvents,
  newLemonPurchase,
  newStripePurchase,
  providerSettings,
  sendAllToLemon,
  sendAllToStripe,
  sendLemon,
  sendStripe,
  stripeEvents,
} from './provider-events.ts';

const rounds = 15;

describe.skipIf(findPostgres() === undefined)('at the same time', () => {
  const postgres = sharedPostgres();

  async function start() {
    const url = await postgres.createDatabase();
    const settings = {
      DATABASE_URL: url,
      LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
      ...providerSettings,
      LATCHKEY_BILLING_SECRET: billingSecret,
      LATCHKEY_BILLING_ISSUE: '1',
    };
    // While one request is running, others move the clock.
    const server = await startTestApp(settings, { deadlineMs: day });
    const { call, request, now, database, services, clock } = server;
    const listKept = async () =>
      (await services.billingEventList.readPage({ state: 'dead_letter' }, { limit: 200 })).rows;
    const countDeadlocks = async () => (await query(url, deadlocks))[0];
    return { call, request, now, database, services, clock, url, listKept, countDeadlocks };
  }
  type Server = Awaited<ReturnType<typeof start>>;

  const sayLemonSqueezy = (server: Server, purchase: LemonPurchase) =>
    sendAllToLemon(server, [lemonEvents(purchase).subscription('subscription_updated', server.now())]);

  it('a subscription and its customer are applied, even if no other event follows', async () => {
    const server = await start();
    const created = Math.floor(server.clock.now() / 1000);
    for (let round = 0; round < rounds; round++) {
      const customer = `cus_${round}`;
      const period = { metadata: { plan: 'standard' }, current_period_end: created + 1_000_000 };
      const subscription = { id: `sub_${round}`, status: 'active', customer, ...period };
      const type = 'customer.subscription.created';
      await Promise.all([
        sendAllToStripe(server, [{ id: `evt_s${round}`, type, created, data: { object: subscription } }]),
        sendAllToStripe(server, [
          {
            id: `evt_c${round}`,
            type: 'customer.created',
            created,
            data: { object: { id: customer, email: newEmail() } },
          },
        ]),
      ]);
    }
    expect(await server.listKept()).toEqual([]);
  });

  it('an event and the confirmation of its email are applied', async () => {
    const server = await start();
    for (let round = 0; round < rounds; round++) {
      const { id: userId, email } = await signUp(server);
      const wanted = { userId, purpose: 'confirm_email', email } as const;
      const token = await server.database.write((t) => server.services.mailTokens.create(t, wanted));
      const [, confirmed] = await Promise.all([
        sayLemonSqueezy(server, newLemonPurchase(email)),
        server.call('confirmEmail', { body: { token } }),
      ]);
      expect(confirmed.status, confirmed.text).toBe(200);
    }
    expect(await server.listKept()).toEqual([]);
  });

  it('events of an account and a password reset that confirms its email never deadlock', async () => {
    const server = await start();
    const { accounts, mailTokens } = server.services;
    for (let round = 0; round < rounds; round++) {
      const { id: userId, email } = await signUp(server);
      const token = await server.database.write(async (transaction) => {
        await accounts.confirmEmail(transaction, userId);
        return mailTokens.create(transaction, { userId, purpose: 'reset_password', email });
      });
      const purchase = newLemonPurchase(email);
      let isReset = false;
      const sendEvents = async () => {
        while (!isReset) {
          // Each event is later than the one before.
          server.clock.advance(1000);
          await sayLemonSqueezy(server, purchase);
        }
      };
      const reset = server.call('resetPassword', { body: { token, new_password: 'a quiet lantern 12' } });
      const [{ status, text }] = await Promise.all([
        reset.finally(() => {
          isReset = true;
        }),
        sendEvents(),
        sendEvents(),
        sendEvents(),
        sendEvents(),
      ]);
      expect(status, text).toBe(200);
    }
    expect(await server.countDeadlocks()).toEqual({ deadlocks: 0 });
  });

  it('an event of an account that is being deleted is treated as an event without an account', async () => {
    const server = await start();
    const { id, email } = await signUp(server);
    await server.database.write((transaction) => server.services.accounts.confirmEmail(transaction, id));
    let telling: Promise<void> | undefined;
    await server.database.write(async (transaction) => {
      await server.services.accounts.removeWithin(transaction, id, byCommand);
      telling = sayLemonSqueezy(server, newLemonPurchase(email));
      await expect.poll(() => query(server.url, lockWaits)).toHaveLength(1);
    });
    await telling;
    const { rows } = await server.services.billingEventList.readPage({}, { limit: 2 });
    expect(rows).toHaveLength(1);
    expect((await server.services.accounts.findByEmail(email))?.id).not.toBe(id);
  });

  it('two events of one subscription change the same account, and report which', async () => {
    const server = await start();
    const [one, other] = [await signUp(server), await signUp(server)];
    await server.database.write((transaction) => server.services.accounts.confirmEmail(transaction, other.id));
    const { body } = await server.call('checkoutToken', { token: one.token });
    for (let round = 0; round < rounds; round++) {
      const purchase = newLemonPurchase(other.email);
      await Promise.all([
        sayLemonSqueezy(server, { ...purchase, custom: { token: body.token } }),
        sayLemonSqueezy(server, purchase),
      ]);
      const { rows: events } = await server.services.billingEventList.readPage({}, { limit: 2 });
      const { user_id } = await server.database.read
        .selectFrom('subscriptions')
        .select('user_id')
        .where('reference', '=', String(purchase.subscription))
        .executeTakeFirstOrThrow();
      const owner = user_id === one.id ? one.email : other.email;
      expect(events.filter(({ state }) => state === 'applied').map(({ email }) => email)).toEqual(
        events.filter(({ state }) => state === 'applied').map(() => owner),
      );
    }
  });

  const stateOf = async ({ services }: Server, email: string) => {
    const { id } = await services.accounts.getByEmail(email);
    const licenses = await services.licenseAdmin.list(id);
    return [(await services.subscriptions.get(id))?.status, ...licenses.map(({ status }) => status)];
  };

  it('a purchase reported by several events issues one license', async () => {
    const server = await start();
    for (let round = 0; round < rounds; round++) {
      const purchase = newLemonPurchase(newEmail());
      const events = lemonEvents(purchase);
      const atMs = server.now();
      const told = events.subscription('subscription_created', atMs);
      await Promise.all([
        sendLemon(server, told),
        sendLemon(server, told),
        sendLemon(server, events.subscription('subscription_updated', atMs)),
        sendLemon(server, events.paymentSuccess(atMs)),
      ]);
      expect(await stateOf(server, purchase.email)).toEqual(['active', 'active']);
    }
  });

  it.each([
    { what: 'before it ends nothing', refundDays: 10, becomes: ['active', 'active'] },
    { what: 'after it ends the access and suspends the license', refundDays: 31, becomes: ['canceled', 'inactive'] },
  ])('of a renewal and a refund, a refund $what', async ({ refundDays, becomes }) => {
    const server = await start();
    const startMs = server.now() - 32 * day;
    for (let round = 0; round < rounds; round++) {
      const purchase = newStripePurchase(newEmail());
      const events = stripeEvents(purchase);
      // This period is over by now, so only the renewal gives access.
      for (const event of [events.subscription('created', startMs), events.invoicePaymentPaid(startMs)]) {
        await sendStripe(server, event);
      }
      const simultaneous = [
        events.refunded(startMs + refundDays * day),
        events.subscription('updated', startMs + 30 * day),
        events.invoicePaid(startMs),
      ];
      await Promise.all(simultaneous.map((event) => sendStripe(server, event)));
      const [status, ...licenses] = await stateOf(server, purchase.email);
      expect(status).toBe(becomes[0]);
      // If the refund came first, no license was issued.
      expect([[], becomes.slice(1)]).toContainEqual(licenses);
    }
  });

  it.each([
    { first: 'the suspension', order: ['suspend', 'pay'] as const },
    { first: 'the payment', order: ['pay', 'suspend'] as const },
  ])(
    'a license that staff suspend while it is paid for again stays suspended, if $first comes first',
    async ({ order }) => {
      const server = await start();
      const { services } = server;
      const purchase = newStripePurchase(newEmail());
      const { email } = purchase;
      const events = stripeEvents(purchase);
      const say = async (status: string) =>
        expect((await sendEvent(server, subscriptionEvent(server.now(), { email, status }))).status).toBe(200);
      // A purchase at Stripe, which is refunded and paid again, and one of the operator's own system, each with a license.
      await sendStripe(server, events.subscription('created', server.now()));
      await sendStripe(server, events.refunded(server.now()));
      server.clock.advance(day);
      await say('active');
      await sendStripe(server, events.invoicePaid(server.now()));
      const { id: userId } = await services.accounts.getByEmail(email);
      const [, own] = await services.licenseAdmin.list(userId);
      // While the other one is paid, the license of this one is suspended.
      await say('canceled');
      const id = own?.id ?? '';
      expect(await services.licenseAdmin.get(id)).toMatchObject({ status: 'inactive' });
      server.clock.advance(day);
      const acts = {
        suspend: () => services.licenseChanges.setStatus(id, { status: 'inactive', as: 'owner' }, byCommand),
        pay: () => say('active'),
      };
      const acting: Promise<unknown>[] = [];
      await server.database.write(async (transaction) => {
        // Locks the license row, as its activation on a device does.
        await transaction.selectFrom('licenses').select('id').where('id', '=', id).forNoKeyUpdate().execute();
        for (const act of order) {
          acting.push(acts[act]());
          await expect.poll(() => query(server.url, lockWaits)).toHaveLength(acting.length);
        }
      });
      await Promise.all(acting);
      expect(await services.licenseAdmin.get(id)).toMatchObject({ status: 'inactive' });
      expect(await server.countDeadlocks()).toEqual({ deadlocks: 0 });
    },
  );

  it.each([
    { event: 'a payment', deletes: 'staff' },
    { event: 'a change', deletes: 'staff' },
    { event: 'a change', deletes: 'the user' },
  ])(
    '$event of a subscription and the deletion of its account by $deletes never deadlock',
    async ({ event, deletes }) => {
      const server = await start();
      const { accounts, accountDeletion } = server.services;
      const email = newEmail();
      const { id } = await accounts.create({ email, password: goodPassword, full_name: '' }, byCommand);
      const purchase = lemonEvents(newLemonPurchase(email));
      await sendLemon(server, purchase.subscription('subscription_created', server.now()));
      const told =
        event === 'a payment'
          ? purchase.paymentSuccess(server.now())
          : purchase.subscription('subscription_updated', server.now());
      const user = { id, sessionId: '', isBrowser: false };
      const deletion =
        deletes === 'staff'
          ? () => accounts.removeById(id, byCommand)
          : () => accountDeletion.remove(user, goodPassword, { address: '192.0.2.1', language: 'en' });
      const acting: Promise<unknown>[] = [];
      await server.database.write(async (transaction) => {
        await lockUser(transaction, id);
        acting.push(deletion());
        await expect.poll(() => query(server.url, lockWaits)).toHaveLength(1);
        acting.push(sendLemon(server, told));
        await expect.poll(() => query(server.url, lockWaits)).toHaveLength(2);
      });
      await Promise.all(acting);
      expect(await server.countDeadlocks()).toEqual({ deadlocks: 0 });
    },
  );

  it('a subscription whose reminder was not needed is reminded of, if another one ends at that moment', async () => {
    const server = await start();
    const { services } = server;
    const purchase = newStripePurchase(newEmail());
    const events = stripeEvents(purchase);
    const { id } = await services.accounts.create({ email: purchase.email, full_name: '' }, byCommand);
    const ending = { plan: 'standard', periodEndMs: server.now() + 3 * day, cancelAtPeriodEnd: true };
    await services.subscriptions.set(id, ending, byCommand);
    await sendStripe(server, events.subscription('created', server.now()));
    await services.webhooks.add('https://example.com/events', ['subscription.changed'], byCommand);
    const remind = () => services.reminders.run(async () => true);
    let telling: Promise<number> | undefined;
    await server.database.write(async (transaction) => {
      // The event has changed its subscription, and waits for its own event to be queued.
      await transaction.selectFrom('webhook_endpoints').select('id').forUpdate().execute();
      telling = sendStripe(server, events.subscription('deleted', server.now()));
      await expect.poll(() => query(server.url, lockWaits)).toHaveLength(1);
      await remind();
    });
    expect(await telling).toBe(200);
    await remind();
    const reminders = server.database.read.selectFrom('mails').select('kind').where('kind', '=', 'reminder');
    expect(await reminders.execute()).toHaveLength(1);
  });

  it('an event and a subscription that staff set never deadlock', async () => {
    const server = await start();
    const { services } = server;
    const [first, second] = [newStripePurchase(newEmail()), newStripePurchase(newEmail())];
    const { id } = await services.accounts.create({ email: first.email, full_name: '' }, byCommand);
    const ending = { plan: 'standard', periodEndMs: server.now() + 3 * day, cancelAtPeriodEnd: true };
    await services.subscriptions.set(id, ending, byCommand);
    const events = [first, { ...second, email: first.email }].map((purchase) => stripeEvents(purchase));
    for (const each of events) await sendStripe(server, each.subscription('created', server.now()));
    await services.reminders.run(async () => true);
    const acting: Promise<unknown>[] = [];
    await server.database.write(async (transaction) => {
      // Setting a subscription replaces the account's other ones, of which the first is locked.
      const { subscription } = first;
      const row = transaction.selectFrom('subscriptions').select('id').where('reference', '=', subscription);
      await row.forUpdate().execute();
      acting.push(services.subscriptions.set(id, { plan: 'advanced' }, byCommand));
      await expect.poll(() => query(server.url, lockWaits)).toHaveLength(1);
      acting.push(...events.slice(1).map((each) => sendStripe(server, each.subscription('updated', server.now()))));
      await expect.poll(() => query(server.url, lockWaits)).toHaveLength(2);
    });
    await Promise.all(acting);
    expect(await server.countDeadlocks()).toEqual({ deadlocks: 0 });
  });

  it('two runs of reconcile change a subscription once', async () => {
    const server = await start();
    const file = join(makeTemporaryFolder(), 'list.csv');
    const end = new Date(server.now() + 30 * day).toISOString();
    const purchases = Array.from({ length: rounds }, () => newStripePurchase(newEmail()));
    const lines = purchases.map(({ customer, email }) => `stripe,${customer},${email},standard,active,${end},`);
    writeFileSync(file, ['provider,customer,email,plan,status,current_period_end,as_of', ...lines].join('\n'));
    const run = async () => {
      const report = await server.services.reconciliation.run({ file, applies: true, by: byCommand });
      const found = { agree: report.agree, healed: report.countFindings().pays_without_access };
      report.close();
      return found;
    };
    const [one, other] = await Promise.all([run(), run()]);
    expect([one.healed + other.healed, one.agree + other.agree]).toEqual([rounds, rounds]);
    expect(await run()).toEqual({ agree: rounds, healed: 0 });
    for (const { email } of purchases) expect(await stateOf(server, email)).toEqual(['active', 'active']);
  });
});

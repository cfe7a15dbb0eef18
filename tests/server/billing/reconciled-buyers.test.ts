/**
 * Which account a row of a provider's list belongs to: a payment gives one account what was paid for, and takes nothing
 * from others. Transport: inject.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { day, second } from '../../harness/fake-clock.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { startApp, type TestApp } from '../../harness/start-app.ts';
import { removeFolder } from '../../harness/temporary-folder.ts';
import { stringIn } from '../../harness/test-client.ts';
import { onceStarted } from '../../harness/test-server.ts';
import { newEmail, signUp, type User } from '../../harness/users.ts';
import {
  type LemonPurchase,
  lemonEvents,
  newLemonPurchase,
  newStripePurchase,
  providerSettings,
  sendAllToLemon,
  sendAllToStripe,
  stripeEvents,
} from './provider-events.ts';
import { iso, lemonRow, type Row, reconcileList, stripeRow } from './provider-list.ts';

const settings = {
  ...providerSettings,
  LATCHKEY_BILLING_ISSUE: '1',
  LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
  LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
};
const advanced = 12;
const noneFound = { stale: [], pays_without_access: [], access_without_payment: [], differs: [] };
const unclear = { healed: false, reason: expect.stringContaining('column "subscription"') };

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (kind) => {
  describe.skipIf(kind === 'PostgreSQL' && !findPostgres())('a row of a list', () => {
    const postgres = kind === 'PostgreSQL' ? sharedPostgres() : undefined;
    let running: TestApp | undefined;
    const server = onceStarted(() => running);
    beforeAll(async () => {
      const url = await postgres?.createDatabase();
      running = await startApp({ ...settings, ...(url !== undefined && { DATABASE_URL: url }) });
      return async () => {
        await running?.stop();
        removeFolder(server.dataFolder);
      };
    });

    const reconcile = (...rows: Row[]) => {
      server.clock.advance(2 * second);
      return reconcileList(server, rows);
    };
    const confirm = ({ id }: User) =>
      server.database.write((transaction) => server.services.accounts.confirmEmail(transaction, id));
    async function newConfirmed(): Promise<User> {
      const user = await signUp(server);
      await confirm(user);
      return user;
    }
    /** Buys at Lemon Squeezy and returns the row that its list then contains. */
    async function buy(email: string, { by, ...fields }: Partial<LemonPurchase> & { readonly by?: User } = {}) {
      const custom = by
        ? { token: stringIn((await server.call('checkoutToken', { token: by.token })).body, 'token') }
        : {};
      const purchase = newLemonPurchase(email, { custom, ...fields });
      const atMs = server.now();
      await sendAllToLemon(server, [lemonEvents(purchase).subscription('subscription_created', atMs)]);
      return { purchase, row: lemonRow(purchase, atMs), events: lemonEvents(purchase), atMs };
    }
    const subscriptionOf = ({ id }: Pick<User, 'id'>) => server.services.subscriptions.get(id);
    const allOf = async ({ id }: Pick<User, 'id'>) =>
      (await server.services.subscriptions.listOfAll(server.database.read, [id]))
        .map(({ plan, status }) => `${plan} ${status}`)
        .toSorted();
    const isAccount = (email: string) => server.services.accounts.findByEmail(email).then(Boolean);

    it('does not give what the owner of an email paid for to a stranger who signed up with that email', async () => {
      const stranger = await signUp(server);
      const cheap = await buy(newEmail(), { by: stranger });
      const paid = await buy(stranger.email, { variant: advanced });
      for (const subscription of ['', String(paid.purchase.subscription)]) {
        expect(await reconcile({ ...paid.row, subscription }, cheap.row)).toMatchObject({
          agree: 1,
          differs: [{ row: 1, healed: false, reason: expect.stringContaining('has not confirmed it') }],
        });
        expect(await allOf(stranger)).toEqual(['standard active']);
      }
    });

    it('does not do so even if the stranger has the same customer id and is the only row of the list', async () => {
      const stranger = await signUp(server);
      const cheap = await buy(stranger.email, { by: stranger });
      const { customer } = cheap.purchase;
      const paid = lemonRow(
        newLemonPurchase(stranger.email, { customer, variant: advanced }),
        server.now() + 300 * day,
      );
      const row = { ...paid, as_of: iso(server.now() + second) };
      expect(await reconcile(row, cheap.row)).toMatchObject({ agree: 1, differs: [{ healed: false }] });
      expect(await reconcile(row)).toMatchObject({ differs: [unclear] });
      expect(await allOf(stranger)).toEqual(['standard active']);
    });

    it('belongs to the account whose token bought it, whatever email was typed', async () => {
      const [user, typed] = [await newConfirmed(), newEmail()];
      const { row, purchase } = await buy(typed, { by: user, variant: advanced });
      for (const one of [row, { ...row, customer: '' }, { ...row, customer: typed.toUpperCase(), email: '' }]) {
        expect(await reconcile(one)).toMatchObject({ ...noneFound, agree: 1 });
      }
      expect(await isAccount(typed)).toBe(false);
      const late = { ...row, status: 'past_due' };
      expect(await reconcile(late)).toMatchObject({ differs: [{ healed: true }] });
      expect(await subscriptionOf(user)).toMatchObject({ plan: 'advanced', status: 'past_due' });
      const renewed = { ...row, current_period_end: iso(server.now() + 60 * day) };
      expect(await reconcile(renewed)).toMatchObject({ differs: [unclear] });
      const named = { ...renewed, subscription: String(purchase.subscription) };
      expect(await reconcile(named)).toMatchObject({ differs: [{ healed: true, subscription: named.subscription }] });
      expect(await reconcile(named)).toMatchObject({ ...noneFound, agree: 1 });
      expect(await subscriptionOf(user)).toMatchObject({
        status: 'active',
        current_period_end: named.current_period_end,
      });
      expect(await allOf(user)).toHaveLength(1);
      expect(await isAccount(typed)).toBe(false);
      expect(await server.services.licenseAdmin.list(user.id)).toHaveLength(1);
    });

    it('does not end a subscription of an account because of what a stranger bought with its email', async () => {
      const [user, typed] = [await newConfirmed(), newEmail()];
      const paid = await buy(typed, { by: user, variant: advanced });
      const theirs = await buy(user.email);
      const atMs = server.now() + second;
      const ends_at = iso(atMs);
      server.clock.advance(second);
      await sendAllToLemon(server, [
        theirs.events.subscription('subscription_expired', atMs, atMs, { status: 'expired', ends_at }),
      ]);
      const ended = { ...theirs.row, status: 'expired', current_period_end: ends_at, as_of: iso(atMs + second) };
      const lost = lemonRow(newLemonPurchase(user.email), server.now(), { status: 'expired' });
      for (const row of [ended, lost, { ...lost, customer: '' }]) {
        expect(await reconcile(paid.row, row)).toMatchObject({ ...noneFound, agree: 2 });
      }
      expect(await subscriptionOf(user)).toMatchObject({ plan: 'advanced', status: 'active' });
    });

    it('ends what a token bought only if the list has no other row that may refer to it', async () => {
      for (const isAlone of [true, false]) {
        const [user, typed] = [await newConfirmed(), newEmail()];
        const { row, purchase } = await buy(typed, { by: user });
        const ended = { ...row, status: 'expired', current_period_end: iso(server.now() + second) };
        const { customer } = purchase;
        const paid = lemonRow(newLemonPurchase(typed, { customer, variant: advanced }), server.now() + day);
        const others = isAlone ? [] : [{ ...paid, as_of: ended.as_of ?? '' }];
        expect(await reconcile(ended, ...others)).toMatchObject({
          access_without_payment: [isAlone ? { healed: true } : unclear],
        });
        expect(await subscriptionOf(user)).toMatchObject({ status: isAlone ? 'expired' : 'active' });
      }
    });

    it('without a customer changes nothing that certainly belongs to the account', async () => {
      const user = await newConfirmed();
      const { row } = await buy(user.email, { by: user, variant: advanced });
      const ended = { ...row, status: 'expired' };
      expect(await reconcile({ ...ended, customer: '' })).toMatchObject({ access_without_payment: [unclear] });
      expect(await subscriptionOf(user)).toMatchObject({ status: 'active' });
      expect(await reconcile(ended)).toMatchObject({ access_without_payment: [{ healed: true }] });
      expect(await subscriptionOf(user)).toMatchObject({ status: 'expired' });
    });

    it('refers to one subscription each if a customer has several', async () => {
      const user = await newConfirmed();
      const first = newStripePurchase(user.email);
      const other = newStripePurchase(user.email, { customer: first.customer, price: 'price_advanced' });
      const atMs = server.now();
      for (const one of [first, other])
        await sendAllToStripe(server, [stripeEvents(one).subscription('created', atMs)]);
      const [row, ofOther] = [stripeRow(first, atMs), stripeRow(other, atMs, { plan: 'advanced', status: 'canceled' })];
      expect(await reconcile(ofOther, row)).toMatchObject({
        agree: 1,
        access_without_payment: [{ row: 1, healed: true }],
      });
      expect(await allOf(user)).toEqual(['advanced canceled', 'standard active']);
      expect(await subscriptionOf(user)).toMatchObject({ plan: 'standard', status: 'active' });
      // Of subscriptions that cannot be told apart, one counts.
      const unknown = { ...row, current_period_end: iso(atMs + 300 * day) };
      const rows = [ofOther, row, unknown, unknown];
      expect(await reconcile(...rows)).toMatchObject({ agree: 3, differs: [{ row: 4, healed: true }] });
      expect(await reconcile(...rows)).toMatchObject({ ...noneFound, agree: 4 });
      expect(await allOf(user)).toEqual(['advanced canceled', 'standard active', 'standard active']);
    });

    it('does not decide about another customer of the same account, however old either row is', async () => {
      const user = await newConfirmed();
      const [one, other] = [newStripePurchase(user.email), newStripePurchase(user.email)];
      const atMs = server.now();
      await sendAllToStripe(server, [stripeEvents(one).subscription('created', atMs)]);
      server.clock.advance(20 * second);
      await sendAllToStripe(server, [stripeEvents(other).subscription('created', server.now())]);
      const newer = stripeRow(other, server.now());
      expect(await reconcile(newer, stripeRow(one, atMs, { status: 'canceled' }))).toMatchObject({
        agree: 1,
        access_without_payment: [{ row: 2, healed: true }],
      });
      expect(await allOf(user)).toEqual(['standard active', 'standard canceled']);
    });

    it('that names a subscription refers to that one, which is created if the server does not know it', async () => {
      const purchase = newStripePurchase(newEmail());
      const row = stripeRow(purchase, server.now());
      expect(await reconcile(row)).toMatchObject({ pays_without_access: [{ healed: true }] });
      const named = { ...row, subscription: purchase.subscription, status: 'past_due' };
      expect(await reconcile(named, { ...named, status: 'active' })).toMatchObject({ rows: 2, agree: 2 });
      expect(await reconcile(named)).toMatchObject({ differs: [{ healed: true }] });
      const lost = newStripePurchase(newEmail());
      const other = { ...stripeRow(lost, server.now()), subscription: lost.subscription, customer: '' };
      expect(await reconcile(named, other)).toMatchObject({
        agree: 1,
        pays_without_access: [{ row: 2, healed: true }],
      });
      expect(await reconcile(named, { ...other, email: '' })).toMatchObject({ ...noneFound, agree: 2 });
      const startMs = server.now();
      for (const one of [purchase, lost]) {
        await sendAllToStripe(server, [stripeEvents(one).subscription('deleted', startMs)]);
        expect(await allOf(await server.services.accounts.getByEmail(one.email))).toEqual(['standard canceled']);
      }
    });

    it('with only a customer refers to no subscription that another row names, even if that row has no customer', async () => {
      const user = await newConfirmed();
      const purchase = newStripePurchase(user.email);
      const atMs = server.now();
      await sendAllToStripe(server, [stripeEvents(purchase).subscription('created', atMs)]);
      const named = stripeRow(purchase, atMs, { customer: '', subscription: purchase.subscription, plan: 'advanced' });
      const unnamed = stripeRow(purchase, atMs);
      const byEmail = stripeRow(purchase, atMs, { customer: '', status: 'past_due' });
      const rows = [unnamed, named, byEmail];
      expect(await reconcile(...rows)).toMatchObject({ differs: [1, 2, 3].map((row) => ({ row, healed: true })) });
      expect(await reconcile(...rows)).toMatchObject({ ...noneFound, agree: 3 });
      expect(await allOf(user)).toEqual(['advanced active', 'standard active', 'standard past_due']);
    });

    it('gives nothing if it was refunded before the server knew the subscription', async () => {
      const purchase = newLemonPurchase(newEmail());
      await sendAllToLemon(server, [lemonEvents(purchase).paymentRefunded(server.now())]);
      const row = lemonRow(purchase, server.now(), { subscription: String(purchase.subscription) });
      expect(await reconcile(row)).toMatchObject({ ...noneFound, agree: 1 });
    });

    it('decides nothing if it is older than another row about the same subscription, or than the last event', async () => {
      const user = await newConfirmed();
      const purchase = newStripePurchase(user.email);
      const row = { ...stripeRow(purchase, server.now()), subscription: purchase.subscription };
      const older = { ...row, plan: 'advanced', as_of: iso(server.now() - day) };
      expect(await reconcile(older, row)).toMatchObject({ agree: 1, pays_without_access: [{ row: 2, healed: true }] });
      expect(await allOf(user)).toEqual(['standard active']);
      const ended = { ...row, status: 'canceled', as_of: iso(server.now()) };
      for (const subscription of [row.subscription, '']) {
        const rows = [older, ended].map((one) => ({ ...one, subscription }));
        expect(await reconcile(...rows)).toMatchObject({ stale: [{ row: 1 }], differs: [], pays_without_access: [] });
        expect(await allOf(user)).toEqual(['standard canceled']);
      }
    });

    it('updates the subscription that an earlier list added for its email', async () => {
      const purchase = newLemonPurchase(newEmail());
      const row = lemonRow(purchase, server.now());
      await reconcile({ ...row, customer: '' });
      expect(await reconcile(row)).toMatchObject({ ...noneFound, agree: 1 });
      expect(await reconcile({ ...row, status: 'expired' })).toMatchObject({
        access_without_payment: [{ healed: true }],
      });
      expect(await allOf(await server.services.accounts.getByEmail(purchase.email))).toEqual(['standard expired']);
    });

    it('does not take the subscription that an earlier list added for an email if another row names only that email', async () => {
      const purchase = newLemonPurchase(newEmail());
      const byCustomer = lemonRow(purchase, server.now());
      const byEmail = { ...byCustomer, customer: '' };
      await reconcile(byEmail);
      expect(await reconcile(byCustomer, byEmail)).toMatchObject({
        ...noneFound,
        agree: 1,
        differs: [{ row: 1, server: null, healed: true }],
      });
      const account = await server.services.accounts.getByEmail(purchase.email);
      expect(await allOf(account)).toEqual(['standard active', 'standard active']);
    });

    describe('that was added for a customer', () => {
      /** Reconciles a row of an account for which the server has no event. */
      async function reconciled() {
        const user = await newConfirmed();
        const atMs = server.now();
        const purchase = newLemonPurchase(user.email);
        expect(await reconcile(lemonRow(purchase, atMs))).toMatchObject({ pays_without_access: [{ healed: true }] });
        return { user, purchase, atMs };
      }
      const active = { plan: 'standard', status: 'active' };

      it('is not ended by the refund of another order with the same email', async () => {
        const { user, purchase } = await reconciled();
        const { customer } = purchase;
        await sendAllToLemon(server, [
          lemonEvents(newLemonPurchase(user.email, { customer })).orderRefunded(server.now()),
        ]);
        expect(await subscriptionOf(user)).toMatchObject(active);
      });

      it('is not linked to a subscription that a stranger buys for another account with the same email', async () => {
        const { user, purchase, atMs } = await reconciled();
        const stranger = await signUp(server);
        const { customer } = purchase;
        const { token } = (await server.call('checkoutToken', { token: stranger.token })).body;
        const events = lemonEvents(newLemonPurchase(user.email, { customer, custom: { token } }));
        const created_at = iso(atMs);
        await sendAllToLemon(server, [events.subscription('subscription_created', server.now(), atMs, { created_at })]);
        expect(await subscriptionOf(stranger)).toMatchObject(active);
        await sendAllToLemon(server, [events.orderRefunded(server.now())]);
        expect(await subscriptionOf(stranger)).toMatchObject({ status: 'canceled' });
        expect(await subscriptionOf(user)).toMatchObject(active);
      });

      it('is not linked to a subscription that was bought after the list was created', async () => {
        const { user, purchase, atMs } = await reconciled();
        const events = lemonEvents(newLemonPurchase(user.email, { customer: purchase.customer }));
        await sendAllToLemon(server, [events.subscription('subscription_created', server.now(), atMs)]);
        await sendAllToLemon(server, [events.orderRefunded(server.now())]);
        expect(await allOf(user)).toEqual(['standard active', 'standard canceled']);
      });

      it('is not linked to a subscription that the event says is for another account', async () => {
        const [user, other] = [await newConfirmed(), await newConfirmed()];
        const purchase = newStripePurchase(user.email);
        const atMs = server.now();
        await reconcile(stripeRow(purchase, atMs));
        const events = stripeEvents({ ...purchase, email: other.email });
        await sendAllToStripe(server, [events.subscription('updated', server.now(), atMs)]);
        await sendAllToStripe(server, [events.subscription('deleted', server.now(), atMs, 'canceled')]);
        expect(await allOf(user)).toEqual(['standard active', 'standard canceled']);
      });

      it.each([
        { what: 'another plan', variant: 12, days: 0, expected: ['advanced active', 'standard active'] },
        { what: 'another period', variant: 11, days: 1, expected: ['standard active', 'standard active'] },
      ])('is not linked to a subscription with $what', async ({ variant, days, expected }) => {
        const { user, purchase, atMs } = await reconciled();
        const events = lemonEvents(newLemonPurchase(user.email, { customer: purchase.customer, variant }));
        const created_at = iso(atMs);
        await sendAllToLemon(server, [
          events.subscription('subscription_created', server.now(), atMs + days * day, { created_at }),
        ]);
        expect(await allOf(user)).toEqual(expected);
      });

      it('continues with the events of the subscription, even with a token of the account', async () => {
        const { user, purchase, atMs } = await reconciled();
        const { token } = (await server.call('checkoutToken', { token: user.token })).body;
        const events = lemonEvents({ ...purchase, custom: { token } });
        const created_at = iso(atMs + second);
        await sendAllToLemon(server, [events.subscription('subscription_updated', server.now(), atMs, { created_at })]);
        expect(await allOf(user)).toEqual(['standard active']);
        await sendAllToLemon(server, [events.orderRefunded(server.now())]);
        expect(await allOf(user)).toEqual(['standard canceled']);
      });

      it('continues with the events of the subscription even if it was added for an email that the account had', async () => {
        const user = await newConfirmed();
        const purchase = newLemonPurchase(user.email);
        const atMs = server.now();
        await reconcile(lemonRow(purchase, atMs, { customer: '' }));
        await server.database.write((transaction) =>
          server.services.accounts.changeEmail(transaction, { id: user.id, email: newEmail() }, byCommand),
        );
        const created_at = iso(atMs);
        const events = lemonEvents(purchase);
        await sendAllToLemon(server, [
          events.subscription('subscription_updated', server.now(), atMs, { created_at, status: 'past_due' }),
        ]);
        expect(await allOf(user)).toEqual(['standard past_due']);
        expect(await isAccount(purchase.email)).toBe(false);
      });

      it('is found again by an event from before the list that arrives late', async () => {
        const { user, purchase, atMs } = await reconciled();
        const events = lemonEvents(purchase);
        await sendAllToLemon(server, [events.subscription('subscription_created', atMs)]);
        expect(await allOf(user)).toEqual(['standard active']);
        const ended = { created_at: iso(atMs), status: 'expired', ends_at: iso(server.now()) };
        await sendAllToLemon(server, [events.subscription('subscription_expired', server.now(), atMs, ended)]);
        expect(await allOf(user)).toEqual(['standard expired']);
      });

      it.each([
        { when: 'after', order: (late: object, refund: object) => [late, refund] },
        { when: 'before', order: (late: object, refund: object) => [refund, late] },
      ])(
        'is ended by a refund of its order that arrives $when a late event, which alone names the order',
        async ({ order }) => {
          const { user, purchase, atMs } = await reconciled();
          const events = lemonEvents(purchase);
          const late = events.subscription('subscription_created', atMs);
          await sendAllToLemon(server, order(late, events.orderRefunded(server.now())));
          expect(await allOf(user)).toEqual(['standard canceled']);
        },
      );

      it('is ended by a refund at Stripe for the customer, whose id only Stripe can set', async () => {
        const user = await newConfirmed();
        const purchase = newStripePurchase(user.email);
        expect(await reconcile(stripeRow(purchase, server.now()))).toMatchObject({
          pays_without_access: [{ healed: true }],
        });
        await sendAllToStripe(server, [stripeEvents(purchase).refunded(server.now() + 2 * second)]);
        expect(await subscriptionOf(user)).toMatchObject({ status: 'canceled' });
      });
    });
  });
});

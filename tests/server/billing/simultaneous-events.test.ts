/** Billing events that arrive at the same time on PostgreSQL, where transactions run side by side: none misses the other. */
import { createHmac } from 'node:crypto';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildApp } from '../../../server/app.ts';
import { readConfig } from '../../../server/config.ts';
import { openPostgres } from '../../../server/database/postgres-database.ts';
import { systemRandom } from '../../../server/random.ts';
import { openSecrets } from '../../../server/secrets.ts';
import { createServices } from '../../../server/services.ts';
import { limitsOff } from '../../harness/environment.ts';
import { createFakeClock, day } from '../../harness/fake-clock.ts';
import { findPostgres } from '../../harness/postgres.ts';
import { sharedPostgres } from '../../harness/shared-postgres.ts';
import { makeTemporaryFolder } from '../../harness/temporary-folder.ts';
import { injectTransport, TestClient } from '../../harness/test-client.ts';
import { newEmail, signUp } from '../../harness/users.ts';

const secret = 'whsec_a signing secret';
const rounds = 15;

describe.skipIf(findPostgres() === undefined)('at the same time', { timeout: 120_000 }, () => {
  const postgres = sharedPostgres();

  async function start() {
    const clock = createFakeClock();
    const config = readConfig({
      ...limitsOff,
      LATCHKEY_DATA: makeTemporaryFolder(),
      DATABASE_URL: await postgres.createDatabase(),
      LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1',
      LATCHKEY_PUBLIC_URL: 'https://licenses.example.com',
      LATCHKEY_BILLING_PRICES: '11=standard',
      LATCHKEY_STRIPE_WEBHOOK_SECRET: secret,
      LATCHKEY_LEMONSQUEEZY_WEBHOOK_SECRET: secret,
    });
    const database = await openPostgres(String(config.databaseUrl), clock);
    const secrets = await openSecrets(config.secretsFile, database, systemRandom);
    const deps = { config, database, secrets, clock, random: systemRandom };
    const app = await buildApp({ ...deps, logger: pino({ level: 'silent' }) });
    onTestFinished(async () => {
      await app.close();
      await database.close();
    });
    const client = new TestClient(injectTransport(app));
    const services = createServices(deps);
    const listKept = async () =>
      (await services.billingEventList.readPage({ state: 'dead_letter' }, { limit: 200 })).rows;
    return { call: client.call, request: client.request, database, services, clock, listKept };
  }
  type Server = Awaited<ReturnType<typeof start>>;

  async function sayStripe({ request, clock }: Server, event: object) {
    const body = JSON.stringify(event);
    const seconds = Math.floor(clock.now() / 1000);
    const mac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
    const headers = { 'stripe-signature': `t=${seconds},v1=${mac}` };
    expect((await request('POST', '/api/v1/billing/stripe', { body, headers })).status).toBe(200);
  }

  type Purchase = { readonly reference: string; readonly email: string; readonly token?: unknown };

  async function sayLemonSqueezy({ request, clock }: Server, { reference, email, token }: Purchase) {
    const body = JSON.stringify({
      meta: { event_name: 'subscription_updated', ...(token !== undefined && { custom_data: { token } }) },
      data: {
        type: 'subscriptions',
        id: reference,
        attributes: {
          customer_id: reference,
          variant_id: 11,
          user_email: email,
          status: 'active',
          renews_at: new Date(clock.now() + 30 * day).toISOString(),
          updated_at: new Date(clock.now()).toISOString(),
        },
      },
    });
    const headers = { 'x-signature': createHmac('sha256', secret).update(body).digest('hex') };
    expect((await request('POST', '/api/v1/billing/lemonsqueezy', { body, headers })).status).toBe(200);
  }

  it('a subscription and its customer, which nothing else follows, are applied', async () => {
    const server = await start();
    const created = Math.floor(server.clock.now() / 1000);
    for (let round = 0; round < rounds; round++) {
      const customer = `cus_${round}`;
      const period = { metadata: { plan: 'standard' }, current_period_end: created + 1_000_000 };
      const subscription = { id: `sub_${round}`, status: 'active', customer, ...period };
      const type = 'customer.subscription.created';
      await Promise.all([
        sayStripe(server, { id: `evt_s${round}`, type, created, data: { object: subscription } }),
        sayStripe(server, {
          id: `evt_c${round}`,
          type: 'customer.created',
          created,
          data: { object: { id: customer, email: newEmail() } },
        }),
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
        sayLemonSqueezy(server, { reference: `r${round}`, email }),
        server.call('confirmEmail', { body: { token } }),
      ]);
      expect(confirmed.status, confirmed.text).toBe(200);
    }
    expect(await server.listKept()).toEqual([]);
  });

  it('two events of one subscription change one account, and say which', async () => {
    const server = await start();
    const [one, other] = [await signUp(server), await signUp(server)];
    await server.database.write((transaction) => server.services.accounts.confirmEmail(transaction, other.id));
    const { body } = await server.call('checkoutToken', { token: one.token });
    for (let round = 0; round < rounds; round++) {
      const purchase = { reference: `r${round}`, email: other.email };
      await Promise.all([
        sayLemonSqueezy(server, { ...purchase, token: body.token }),
        sayLemonSqueezy(server, purchase),
      ]);
      const { rows: events } = await server.services.billingEventList.readPage({}, { limit: 2 });
      const { user_id } = await server.database.read
        .selectFrom('subscriptions')
        .select('user_id')
        .where('reference', '=', purchase.reference)
        .executeTakeFirstOrThrow();
      const owner = user_id === one.id ? one.email : other.email;
      expect(events.filter(({ state }) => state === 'applied').map(({ email }) => email)).toEqual(
        events.filter(({ state }) => state === 'applied').map(() => owner),
      );
    }
  });
});

/** Reminders of upcoming ends: sent once each, on time, also after downtime. */
import { describe, expect, it } from 'vitest';
import { byCommand } from '../../../server/audit/audit-event.ts';
import { claimDue, listNoticedLeads } from '../../../server/reminders/reminder.repository.ts';
import { allowPrivate, listenToEvents, type ReadEvents } from '../../harness/endpoint-events.ts';
import type { Settings } from '../../harness/environment.ts';
import { day, hour, minute, second } from '../../harness/fake-clock.ts';
import { readQueryPlan } from '../../harness/query-plan.ts';
import { startApp, startTestApp, type TestApp } from '../../harness/start-app.ts';
import { isoFromNow, issueLicense, signUp, subscribe, subscriber, type User } from '../../harness/users.ts';

const remind = (server: TestApp) => server.services.reminders.run(async () => true);

type Setup = { readonly server: TestApp; readonly read: ReadEvents };

async function setUp(settings: Settings = {}): Promise<Setup> {
  const server = await startTestApp({ ...allowPrivate, ...settings });
  return { server, read: await listenToEvents(server, 'license.expiring', 'license.expired', 'subscription.expiring') };
}

/** Lets time pass, and returns what an endpoint received meanwhile in short form: the event type and the days left. */
async function pass({ server, read }: Setup, milliseconds: number, stepMs = 5 * minute): Promise<string[]> {
  const told: string[] = [];
  for (let leftMs = milliseconds; leftMs > 0; leftMs -= stepMs) {
    server.clock.advance(Math.min(stepMs, leftMs));
    await remind(server);
    told.push(...(await readShort(read)));
  }
  return told;
}

async function readShort(read: ReadEvents): Promise<string[]> {
  return (await read()).map(({ type, data }) => ('days_left' in data ? `${type} ${data.days_left}` : type));
}

const endIn = (server: TestApp, milliseconds: number) => ['--expires-at', isoFromNow(server, milliseconds)];

describe('a license', () => {
  it('causes reminders 14 and 3 days before its end, once each, and an event at its end', async () => {
    const setup = await setUp();
    const { server, read } = setup;
    const user = await signUp(server);
    const ends_at = isoFromNow(server, 20 * day);
    const { id, license, key } = await issueLicense(server, '--email', user.email, '--expires-at', ends_at);
    expect(await pass(setup, 6 * day - second, 2 * hour)).toEqual([]);
    server.clock.advance(second);
    await remind(server);
    const [event, ...others] = await read();
    expect(others).toEqual([]);
    expect(event).toStrictEqual({
      type: 'license.expiring',
      timestamp: new Date(server.now()).toISOString(),
      data: {
        account_id: user.id,
        email: user.email,
        license_id: id,
        key_preview: license.key_preview,
        plan: 'standard',
        ends_at,
        days_left: 14,
      },
    });
    expect(JSON.stringify(event)).not.toContain(key);
    expect(await pass(setup, 11 * day - second, 2 * hour)).toEqual([]);
    expect(await pass(setup, second)).toEqual(['license.expiring 3']);
    expect(await pass(setup, 3 * day - second, 2 * hour)).toEqual([]);
    expect(await pass(setup, second)).toEqual(['license.expired']);
    expect(await pass(setup, 20 * day, 4 * hour)).toEqual([]);
  });

  it('causes only the nearest reminder, immediately, if earlier reminder times have passed', async () => {
    const setup = await setUp();
    const { server, read } = setup;
    await issueLicense(server, ...endIn(server, 10 * day));
    await issueLicense(server, ...endIn(server, 36 * hour));
    await remind(server);
    expect((await readShort(read)).sort()).toEqual(['license.expiring 10', 'license.expiring 2']);
    expect(await pass(setup, 36 * hour - second, 2 * hour)).toEqual([]);
  });

  it('causes only the nearest reminder after downtime, and none once it has ended', async () => {
    const setup = await setUp();
    const { server } = setup;
    await issueLicense(server, ...endIn(server, 30 * day));
    await issueLicense(server, ...endIn(server, 20 * day));
    expect((await pass(setup, 28 * day, 28 * day)).sort()).toEqual(['license.expired', 'license.expiring 2']);
  });

  it('gets new reminders for a new end, but never two for the same end', async () => {
    const setup = await setUp();
    const { server, read } = setup;
    const { id } = await issueLicense(server, ...endIn(server, 10 * day));
    const first = server.now() + 10 * day;
    const setExpiry = (atMs: number | null) => server.services.licenseChanges.setExpiry(id, atMs, byCommand);
    await remind(server);
    expect(await readShort(read)).toEqual(['license.expiring 10']);
    await setExpiry(first + 2 * day);
    await remind(server);
    expect(await readShort(read)).toEqual(['license.expiring 12']);
    await setExpiry(first);
    await remind(server);
    expect(await read()).toEqual([]);
    expect(await pass(setup, 7 * day, hour)).toEqual(['license.expiring 3']);
    await setExpiry(null);
    expect(await pass(setup, 20 * day, hour)).toEqual([]);
  });

  it('causes no reminder while it is suspended or revoked, but does once it is reinstated', async () => {
    const setup = await setUp();
    const { server } = setup;
    const suspended = await issueLicense(server, ...endIn(server, 16 * day));
    const revoked = await issueLicense(server, ...endIn(server, 16 * day));
    await server.admin('license', 'set', suspended.id, '--status', 'inactive');
    await server.admin('license', 'set', revoked.id, '--status', 'revoked');
    expect(await pass(setup, 4 * day, hour)).toEqual([]);
    await server.admin('license', 'set', suspended.id, '--status', 'active');
    expect(await pass(setup, second)).toEqual(['license.expiring 12']);
    expect(await pass(setup, 20 * day, hour)).toEqual(['license.expiring 3', 'license.expired']);
  });
});

describe('a subscription', () => {
  const provider = { provider: 'stripe', byTypedEmail: false, by: byCommand, details: {} } as const;

  /** Adds a subscription at Stripe beside the existing one of the account. */
  const subscribeAtStripe = async (
    { services, database, now }: TestApp,
    { id }: User,
    {
      days,
      reference = 'sub_1',
      ...settings
    }: { days: number; reference?: string; cancelAtPeriodEnd?: boolean; plan?: string; status?: 'trialing' },
  ) => {
    const change = {
      ...provider,
      reference,
      settings: { plan: 'standard', ...settings, periodEndMs: now() + days * day },
    };
    await database.write((transaction) => services.subscriptions.apply(transaction, id, change));
  };

  it('that was canceled causes a reminder, unlike one that renews', async () => {
    const setup = await setUp();
    const { server, read } = setup;
    const ends_at = isoFromNow(server, 10 * day);
    const user = await subscriber(server, 'advanced', '--period-end', ends_at, '--cancel-at-period-end');
    await subscriber(server, 'advanced', '--period-end', ends_at);
    await remind(server);
    expect(await read()).toMatchObject([
      {
        type: 'subscription.expiring',
        data: { account_id: user.id, email: user.email, plan: 'advanced', status: 'active', ends_at, days_left: 10 },
      },
    ]);
    expect(await pass(setup, 20 * day, hour)).toEqual(['subscription.expiring 3']);
  });

  it('causes no further reminder once it renews', async () => {
    const setup = await setUp();
    const { server } = setup;
    const end = ['--period-end', isoFromNow(server, 20 * day)];
    const user = await subscriber(server, 'standard', ...end, '--cancel-at-period-end');
    expect(await pass(setup, 7 * day, hour)).toEqual(['subscription.expiring 14']);
    await subscribe(server, user, 'standard', ...end);
    expect(await pass(setup, 13 * day, hour)).toEqual([]);
  });

  it('that is a trial of this server causes a reminder, unlike a trial at a provider, which becomes paid', async () => {
    const setup = await setUp({ LATCHKEY_TRIAL_PLAN: 'standard', LATCHKEY_TRIAL_DAYS: '15' });
    const { server } = setup;
    await signUp(server);
    expect(await pass(setup, 15 * day, hour)).toEqual(['subscription.expiring 14', 'subscription.expiring 3']);
    const other = await setUp();
    const user = await signUp(other.server);
    await subscribeAtStripe(other.server, user, { days: 15, status: 'trialing' });
    expect(await pass(other, 15 * day, hour)).toEqual([]);
  });

  it('causes no reminder while another gives as much for longer, until that one ends too', async () => {
    const setup = await setUp({ LATCHKEY_TRIAL_PLAN: 'standard', LATCHKEY_TRIAL_DAYS: '10' });
    const { server } = setup;
    const user = await signUp(server);
    await subscribeAtStripe(server, user, { days: 5, status: 'trialing' });
    expect(await pass(setup, minute)).toEqual([]);
    await subscribeAtStripe(server, user, { days: 5, cancelAtPeriodEnd: true });
    // The trial lasts longer than the canceled subscription.
    expect(await pass(setup, minute)).toEqual(['subscription.expiring 10']);
    await subscribeAtStripe(server, user, { days: 12, plan: 'free' });
    expect(await pass(setup, 9 * day, hour)).toEqual(['subscription.expiring 3']);
  });

  it('and a license that depends on it cause one reminder together', async () => {
    const setup = await setUp();
    const { server } = setup;
    const end = ['--period-end', isoFromNow(server, 15 * day)];
    const user = await subscriber(server, 'standard', ...end, '--cancel-at-period-end');
    const dependent = ['--email', user.email, '--with-subscription'];
    await issueLicense(server, ...dependent);
    await issueLicense(server, ...dependent, ...endIn(server, 15 * day));
    expect(await pass(setup, 15 * day - second, hour)).toEqual(['subscription.expiring 14', 'subscription.expiring 3']);
  });

  it('that outlasts a dependent license does not replace the reminders of the license', async () => {
    const setup = await setUp();
    const { server } = setup;
    const end = ['--period-end', isoFromNow(server, 40 * day)];
    const user = await subscriber(server, 'standard', ...end, '--cancel-at-period-end');
    await issueLicense(server, '--email', user.email, '--with-subscription', ...endIn(server, 15 * day));
    expect(await pass(setup, 14 * day, hour)).toEqual(['license.expiring 14', 'license.expiring 3']);
  });

  it('that renews after all restores the missed reminders of a dependent license', async () => {
    const setup = await setUp();
    const { server } = setup;
    const end = ['--period-end', isoFromNow(server, 2 * day)];
    const user = await subscriber(server, 'standard', ...end, '--cancel-at-period-end');
    await issueLicense(server, '--email', user.email, '--with-subscription', ...endIn(server, 10 * day));
    expect(await pass(setup, minute)).toEqual(['subscription.expiring 2']);
    await subscribe(server, user, 'standard', ...end);
    expect(await pass(setup, minute)).toEqual(['license.expiring 10']);
  });
});

describe('nobody is reminded', () => {
  it('while there is no recipient, but a new endpoint is notified immediately', async () => {
    const server = await startTestApp(allowPrivate);
    await issueLicense(server, ...endIn(server, 10 * day));
    await subscriber(server, 'standard', '--period-end', isoFromNow(server, 2 * day), '--cancel-at-period-end');
    await listenToEvents(server, 'license.issued');
    await remind(server);
    const stored = () => server.database.read.selectFrom('reminders').selectAll().execute();
    expect(await stored()).toEqual([]);
    const read = await listenToEvents(server);
    await remind(server);
    expect((await readShort(read)).sort()).toEqual(['license.expiring 10', 'subscription.expiring 2']);
    expect(await stored()).toHaveLength(2);
  });

  it('if the setting is empty, but licenses still expire', async () => {
    const setup = await setUp({ LATCHKEY_REMIND: '' });
    const { server } = setup;
    await issueLicense(server, ...endIn(server, 10 * day));
    expect(await pass(setup, 11 * day, hour)).toEqual(['license.expired']);
  });
});

it('a changed setting applies to existing ends', async () => {
  const setup = await setUp();
  const { server } = setup;
  await issueLicense(server, ...endIn(server, 13 * day));
  expect(await pass(setup, minute)).toEqual(['license.expiring 13']);
  const { clock } = server;
  const other = await startApp(
    { ...allowPrivate, LATCHKEY_REMIND: '90s, 12d,40d' },
    { clock, dataFolder: server.dataFolder },
  );
  const { services } = other;
  const end = server.now() + 35 * day;
  await issueLicense(server, '--expires-at', new Date(end).toISOString());
  await services.reminders.run(async () => true);
  expect(await readShort(setup.read)).toEqual(['license.expiring 35']);
  clock.advance(day);
  await services.reminders.run(async () => true);
  expect(await readShort(setup.read)).toEqual(['license.expiring 12']);
  clock.setNow(end - 90 * second);
  await services.reminders.run(async () => true);
  expect(await readShort(setup.read)).toEqual(['license.expired', 'license.expiring 1']);
  await other.stop();
});

it('nothing due costs nothing: each query is an index search', async () => {
  const server = await startTestApp();
  for (const [kind, table] of [
    ['license', 'licenses'],
    ['subscription', 'subscriptions'],
  ] as const) {
    for (const [leadMs, noticedMs] of [
      [0, null],
      [0, day],
      [day, null],
      [day, 14 * day],
    ] as const) {
      const query = { kind, leadMs, noticedMs, nowMs: server.now(), limit: 1 };
      const plan = await readQueryPlan(server, (transaction) => claimDue(transaction, query));
      expect(plan).toMatch(
        new RegExp(`^SEARCH ${table} USING INDEX ${table}_by_notice \\(noticed_lead_ms=\\? AND \\w+`),
      );
      expect(plan).not.toContain('TEMP B-TREE');
    }
    const plan = await readQueryPlan(server, (transaction) => listNoticedLeads(transaction, kind, day));
    expect(plan).toMatch(
      new RegExp(`^SEARCH ${table} USING (COVERING )?INDEX ${table}_by_notice \\(noticed_lead_ms>\\?\\)$`),
    );
  }
});

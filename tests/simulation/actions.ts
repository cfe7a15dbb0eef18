/**
 * Everything that can happen in a history: to machines and their network, by users, by staff, by a billing provider, to
 * the server.
 */
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import type { LicensingClient } from '../../electron/licensing/licensing-client.ts';
import { otherAddress } from './other-server.ts';
import { networkQualities } from './simulated-network.ts';
import { billingSecret } from './simulated-server.ts';
import { type Account, type BillingEvent, type Done, dayMs, hourMs, minuteMs, type Seat, type World } from './world.ts';

const [seat, account] = [fc.nat({ max: 11 }), fc.nat({ max: 1 })];
const ofSeat = <Kind extends string>(kind: Kind) => fc.record({ kind: fc.constant(kind), seat });
const ofAccount = <Kind extends string>(kind: Kind) => fc.record({ kind: fc.constant(kind), account });

/** Occasionally long enough for sessions and leases to expire. */
const someHours = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 1, max: 72 }) },
  { weight: 1, arbitrary: fc.integer({ min: 150, max: 400 }) },
);

/** The requests during which the server may be killed. */
const killedActs = ['activate', 'activate', 'heartbeat', 'refresh', 'lease', 'login'] as const;

/** Any action or event. */
export const someAction = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('skip' as const), hours: someHours }) },
  { weight: 3, arbitrary: ofSeat('activate' as const) },
  { weight: 2, arbitrary: ofAccount('rush' as const) },
  { weight: 2, arbitrary: ofSeat('swap' as const) },
  { weight: 2, arbitrary: ofSeat('release' as const) },
  { weight: 2, arbitrary: ofSeat('sync' as const) },
  { weight: 2, arbitrary: ofSeat('renew-lease' as const) },
  { weight: 2, arbitrary: ofSeat('sign-in' as const) },
  { weight: 1, arbitrary: ofSeat('sign-out' as const) },
  { weight: 1, arbitrary: ofSeat('change-password' as const) },
  { weight: 1, arbitrary: ofSeat('api-key' as const) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('network' as const),
      seat,
      quality: fc.constantFrom(...networkQualities, 'good' as const, 'lossy' as const),
    }),
  },
  { weight: 2, arbitrary: ofSeat('sleep' as const) },
  { weight: 2, arbitrary: ofSeat('disk' as const) },
  { weight: 2, arbitrary: ofSeat('crash' as const) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('crash-during' as const),
      seat,
      during: fc.constantFrom('activate' as const, 'sync' as const, 'sign-in' as const, 'change-server' as const),
      afterMs: fc.integer({ min: 1, max: 400 }),
    }),
  },
  { weight: 1, arbitrary: ofSeat('restart-app' as const) },
  { weight: 1, arbitrary: ofSeat('copy' as const) },
  { weight: 2, arbitrary: ofSeat('change-server' as const) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('import-lease' as const), seat, delayMinutes: fc.nat({ max: 90 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('set-clock' as const),
      seat,
      byMs: fc.integer({ min: -40 * dayMs, max: 40 * dayMs }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('server' as const), offMinutes: fc.nat({ max: 30 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('kill-during' as const),
      account,
      during: fc.constantFrom(...killedActs),
      turns: fc.nat({ max: 5 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('back-up' as const, 'restore' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('event-receiver' as const), isUp: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('license-status' as const),
      account,
      status: fc.constantFrom('active', 'inactive'),
    }),
  },
  { weight: 1, arbitrary: ofAccount('revoke' as const) },
  { weight: 1, arbitrary: ofSeat('staff-release' as const) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('rotate-key' as const),
      purpose: fc.constantFrom('lease', 'access-token'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('billing' as const),
      account,
      plan: fc.constantFrom('free', 'standard', 'advanced'),
      status: fc.constantFrom('active' as const, 'expired' as const),
      delayMinutes: fc.nat({ max: 90 }),
      isRepeated: fc.boolean(),
    }),
  },
);
export type Action = typeof someAction extends fc.Arbitrary<infer T> ? T : never;

/** Performs the action as far as possible: a machine that is off is started first, as a user would. */
export async function perform(world: World, action: Action): Promise<void> {
  if ('seat' in action) return performAtSeat(world, action, world.seats[action.seat % world.seats.length] as Seat);
  if ('account' in action) return performForAccount(world, action, world.accounts[action.account] as Account);
  const { time, server } = world;
  switch (action.kind) {
    case 'pass':
      await time.advance(action.minutes * minuteMs);
      return;
    case 'skip':
      return skip(world, action.hours * hourMs);
    case 'server':
      await server.kill();
      world.tell(`the server is killed, and started ${action.offMinutes} minutes later`);
      await time.advance(action.offMinutes * minuteMs);
      return world.startServer();
    case 'back-up':
      await world.backUp();
      world.tell('staff make a backup');
      return;
    case 'restore':
      if (await world.restore()) world.tell('staff restore the backup');
      return;
    case 'event-receiver':
      server.isReceiverUp = action.isUp;
      world.tell(`the receiver of events ${action.isUp ? 'answers' : 'does not answer'}`);
      return;
    case 'rotate-key':
      await server.admin('key', 'rotate', '--purpose', action.purpose);
      world.tell(`staff replace the key for ${action.purpose}`);
      return;
  }
}

type SeatAction = Extract<Action, { readonly seat: number }>;
type AccountAction = Extract<Action, { readonly account: number }>;

async function performAtSeat(world: World, action: SeatAction, seat: Seat): Promise<void> {
  const { machine, account } = seat;
  await ensureRunning(world, seat);
  if (machine.isElsewhere && onlyHere.has(action.kind)) return;
  switch (action.kind) {
    case 'change-server':
      return world.changeServer(seat);
    case 'import-lease':
      return importLease(world, seat, action.delayMinutes * minuteMs);
    case 'activate':
      return activate(world, seat);
    case 'sync':
      await world.act(seat, 'syncs', (client) => client.syncNow());
      return;
    case 'renew-lease':
      await world.act(seat, 'asks for a lease', (client) => client.renewLease());
      return;
    case 'swap':
      return swap(world, seat);
    case 'release':
      return release(world, seat);
    case 'sign-in':
      if (machine.client.getState().session.kind === 'signed-in') return;
      return world.signIn(seat);
    case 'sign-out':
      world.leaveSession(seat);
      await world.act(seat, 'signs out', (client) => client.signOut({ allDevices: false }));
      return;
    case 'change-password':
      return changePassword(world, seat);
    case 'api-key':
      await world.act(seat, 'makes a new API key', (client) => client.generateApiKey({ replace: true }));
      return;
    case 'network':
      world.disturb(seat);
      machine.network.quality = action.quality;
      seat.quality = action.quality;
      world.tell(`the network of ${machine.name} is ${action.quality}`);
      return;
    case 'disk':
      world.disturb(seat);
      machine.isDiskFull = !machine.isDiskFull;
      world.tell(`the disk of ${machine.name} is ${machine.isDiskFull ? 'full' : 'free again'}`);
      return;
    case 'sleep':
      world.disturb(seat);
      machine.sleep();
      world.tell(`${machine.name} sleeps`);
      return;
    case 'crash':
      world.disturb(seat);
      machine.crash();
      world.tell(`${machine.name} loses its power`);
      return;
    case 'crash-during': {
      const { client } = machine;
      const { during } = action;
      if (during === 'activate') void client.activateLicense({ licenseKey: world.license(account).key });
      else if (during === 'sync') void client.syncNow();
      else if (during === 'change-server') {
        // Perhaps nothing of it is stored yet.
        seat.session = { kind: 'unknown', atMs: world.time.nowMs };
        void client.setServerAddress({ address: otherAddress });
      } else void client.signIn(account);
      await world.time.advance(action.afterMs);
      world.disturb(seat);
      machine.crash();
      world.tell(`${machine.name} loses its power ${action.afterMs} ms after it began to ${during}`);
      return;
    }
    case 'restart-app':
      await machine.quitApp();
      await machine.startApp();
      world.tell(`the app of ${machine.name} is started again`);
      return;
    case 'copy': {
      if (world.seats.some((each) => each.isCopied)) return;
      const copied = world.copy(seat);
      await copied.machine.boot();
      world.tell(`${machine.name} is copied, and the copy started`);
      return;
    }
    case 'set-clock':
      world.disturb(seat);
      machine.clockOffsetMs = machine.clockOffsetMs === 0 ? action.byMs : 0;
      world.tell(`the clock of ${machine.name} is ${Math.round(machine.clockOffsetMs / hourMs)} hours ahead`);
      return;
    case 'staff-release':
      return staffRelease(world, seat);
  }
}

/** What a user does only at the server of the account: each would take a secret of that server to another one. */
const onlyHere: ReadonlySet<SeatAction['kind']> = new Set([
  'activate',
  'swap',
  'release',
  'change-password',
  'api-key',
  'crash-during',
]);

async function performForAccount(world: World, action: AccountAction, account: Account): Promise<void> {
  const { server } = world;
  switch (action.kind) {
    case 'rush':
      return rush(world, account);
    case 'kill-during':
      return killDuring(world, account, action);
    case 'license-status':
      await server.admin('license', 'set', world.license(account).id, '--status', action.status);
      account.changedAtMs = world.time.nowMs;
      world.tell(`staff set the license of ${account.email} to ${action.status}`);
      return;
    case 'revoke':
      await server.admin('license', 'set', world.license(account).id, '--status', 'revoked');
      world.tell(`staff revoke the license of ${account.email}, and issue another`);
      await world.issueLicense(account);
      return;
    case 'billing':
      return sendBilling(world, account, action);
  }
}

/** Lets time pass while all machines sleep. */
async function skip(world: World, ms: number): Promise<void> {
  const sleeping = world.seats.filter(({ machine }) => machine.isRunning && !machine.isAsleep);
  for (const { machine } of sleeping) machine.sleep();
  world.time.skip(ms);
  world.tell(`${ms / hourMs} quiet hours`);
  for (const seat of sleeping) {
    world.disturb(seat);
    seat.machine.wake();
  }
  await world.time.advance(minuteMs);
}

export async function ensureRunning(world: World, seat: Seat): Promise<void> {
  const { machine } = seat;
  if (machine.isAsleep) {
    world.disturb(seat);
    machine.wake();
    world.tell(`${machine.name} wakes`);
  }
  if (machine.isRunning) return;
  world.disturb(seat);
  await machine.boot();
  world.tell(`${machine.name} is started`);
}

async function activate(world: World, seat: Seat): Promise<void> {
  const { key } = world.license(seat.account);
  await world.act(seat, 'activates', (client) => client.activateLicense({ licenseKey: key }));
}

/** Activates every running machine of the account at the same moment. */
async function rush(world: World, account: Account): Promise<void> {
  const { key } = world.license(account);
  await allAtOnce(world, account, 'activate', (client) => client.activateLicense({ licenseKey: key }));
}

async function allAtOnce(
  world: World,
  account: Account,
  what: string,
  work: (client: LicensingClient, seat: Seat) => Promise<Done>,
): Promise<void> {
  const seats = world.seats.filter(
    ({ account: owner, machine }) =>
      owner === account && machine.isRunning && !machine.isAsleep && !machine.isElsewhere,
  );
  const working = seats.map((each) => work(each.machine.client, each));
  const done = await world.time.finish(Promise.all(working), 5 * minuteMs);
  const outcomes = done.map((each) => (each.ok ? 'done' : (each.failure?.code ?? 'failed'))).join(', ');
  world.tell(`${seats.map(({ machine }) => machine.name).join(', ')} ${what} at once: ${outcomes}`);
}

type KillAction = Extract<Action, { readonly kind: 'kill-during' }>;

/** Kills the server while it processes requests of all machines of the account, and starts it a minute later. */
async function killDuring(world: World, account: Account, { during, turns }: KillAction): Promise<void> {
  const { server, time } = world;
  const startedMs = time.nowMs;
  server.killDuring(killedPaths[during], turns);
  if (during === 'activate') await rush(world, account);
  else if (during === 'login')
    await allAtOnce(world, account, 'sign in', (client, seat) => signIn(world, client, seat));
  else if (during === 'lease') await allAtOnce(world, account, 'ask for a lease', (client) => client.renewLease());
  else await allAtOnce(world, account, 'sync', (client) => client.syncNow());
  // For a refresh, until the access tokens have expired.
  await time.advance(during === 'refresh' ? 16 * minuteMs : minuteMs);
  if (server.isUp) await server.kill();
  world.tell(`the server was killed ${turns} turns after a request of theirs (${during}) had come, and is started`);
  // The server may have renewed a session without a response: the token that arrives at last dates from then.
  for (const seat of world.seats) seat.rotatedAtMs ??= startedMs;
  await world.startServer();
}

const killedPaths = {
  activate: '/api/v1/license/activate',
  heartbeat: '/api/v1/heartbeat',
  refresh: '/api/v1/auth/refresh',
  lease: '/api/v1/license/lease',
  login: '/api/v1/auth/login',
} satisfies Readonly<Record<KillAction['during'], string>>;

/** Signs in unless the session is still open. */
async function signIn(world: World, client: LicensingClient, seat: Seat): Promise<Done> {
  if (client.getState().session.kind === 'signed-in') return { ok: true };
  const done = await client.signIn(seat.account);
  if (done.ok) seat.session = { kind: 'open', atMs: world.time.nowMs };
  return done;
}

/** Staff sign a lease for the machine, which imports it some time later, as a device does that is never online. */
async function importLease(world: World, seat: Seat, delayMs: number): Promise<void> {
  const { machine, account } = seat;
  const { key: licenseKey } = world.license(account);
  const made = await world.time.finish(machine.client.requestLease({ licenseKey }), minuteMs);
  const text = made.ok ? await world.signLease(made.value.request, account) : undefined;
  world.tell(`staff ${text === undefined ? 'refuse' : 'sign'} a lease for ${machine.name}`);
  if (text === undefined) return;
  await world.time.advance(delayMs);
  await ensureRunning(world, seat);
  if (await world.act(seat, 'imports the lease', (client) => client.importLease({ text }))) seat.knowsLeases = true;
}

/** Activates in place of the first other device that is shown. */
async function swap(world: World, seat: Seat): Promise<void> {
  const { key } = world.license(seat.account);
  const other = await findOtherDevice(world, seat);
  if (other === undefined) return activate(world, seat);
  await world.act(seat, 'activates in place of another', (client) =>
    client.activateLicense({ licenseKey: key, replaces: other }),
  );
}

async function release(world: World, seat: Seat): Promise<void> {
  const other = await findOtherDevice(world, seat);
  if (other === undefined) return;
  await world.act(seat, 'releases another', (client) => client.releaseDevice({ activationId: other }));
  seat.account.changedAtMs = world.time.nowMs;
}

async function findOtherDevice(world: World, seat: Seat): Promise<string | undefined> {
  if (!(await world.act(seat, 'lists its devices', (client) => client.listDevices()))) return undefined;
  const { devices } = seat.machine.client.getState();
  return devices.value?.find(({ isThisDevice }) => !isThisDevice)?.activationId;
}

async function changePassword(world: World, seat: Seat): Promise<void> {
  const { account } = seat;
  const newPassword = `password number ${account.passwordChanges + 1} of ${account.email}`;
  world.secrets.add(newPassword);
  await world.act(seat, 'changes the password', (client) =>
    client.changePassword({ currentPassword: account.password, newPassword, language: 'en' }),
  );
}

async function staffRelease(world: World, { machine, account }: Seat): Promise<void> {
  const { server, time, tell } = world;
  const deviceId = machine.client.getState().thisDevice?.deviceId ?? '';
  const activation = await server.database.read
    .selectFrom('activations')
    .innerJoin('licenses', 'licenses.id', 'activations.license_id')
    .select('license_id')
    .where('licenses.user_id', '=', account.id)
    .where('device_id', '=', deviceId)
    .where('released_at_ms', 'is', null)
    .executeTakeFirst();
  if (!activation) return;
  await server.admin('license', 'release', activation.license_id, deviceId);
  world.freedAtMs.set(deviceId, time.nowMs);
  tell(`staff release ${machine.name}`);
  account.changedAtMs = time.nowMs;
}

type BillingAction = Extract<Action, { readonly kind: 'billing' }>;

/**
 * Lets the provider decide now; its message arrives later, perhaps after one that it sent afterwards, and perhaps
 * twice.
 */
async function sendBilling(world: World, account: Account, action: BillingAction): Promise<void> {
  const { time } = world;
  // For two decisions in the same millisecond, nobody could tell which was the last.
  const atMs = Math.max(time.nowMs, (account.lastBilling?.atMs ?? 0) + 1);
  const event: BillingEvent = { atMs, plan: action.plan, status: action.status };
  account.lastBilling = event;
  world.tell(`the provider decides that ${account.email} has ${event.plan}, ${event.status}`);
  account.billingEvents += 1;
  const id = `msg_${account.email}_${account.billingEvents}`;
  const deliver = async (): Promise<void> => {
    const answered = await postBilling(world, account, event, id);
    // Providers retry.
    if (!answered) time.at(time.nowMs + 10 * minuteMs, () => void time.track(deliver()));
  };
  time.at(time.nowMs + action.delayMinutes * minuteMs, () => void time.track(deliver()));
  if (action.isRepeated) time.at(time.nowMs + 2 * action.delayMinutes * minuteMs, () => void time.track(deliver()));
}

async function postBilling(world: World, { email }: Account, event: BillingEvent, id: string): Promise<boolean> {
  const { time, server } = world;
  const body = JSON.stringify({
    type: 'subscription.updated',
    timestamp: new Date(event.atMs).toISOString(),
    data: {
      email,
      plan: event.plan,
      status: event.status,
      current_period_start: new Date(event.atMs).toISOString(),
      current_period_end: new Date(event.atMs + 400 * dayMs).toISOString(),
      cancel_at_period_end: false,
    },
  });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(time.nowMs / 1000)),
    'webhook-signature': new Webhook(billingSecret).sign(id, new Date(time.nowMs), body),
  };
  const answer = await server.handle({
    method: 'POST',
    path: '/api/v1/billing/webhook',
    headers,
    body,
    from: '203.0.113.9',
  });
  for (const account of world.accounts) if (account.email === email) account.changedAtMs = time.nowMs;
  return answer !== undefined && answer.status < 500;
}

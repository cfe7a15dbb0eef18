/** What must hold whatever happens, checked after each step and once more after a calm period. */
import { previewLicenseKey } from '../../shared/formats/license-key.ts';
import { dayMs, hourMs, minuteMs, type Seat, secondMs, type World } from './world.ts';

/** The violation of an invariant: which one, and how. */
export class Violation extends Error {
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.name = 'Violation';
    this.invariant = invariant;
  }
}

type Invariant = (world: World) => Promise<string | undefined> | string | undefined;

/** A device syncs every five minutes, and a request may be retried. */
const noticeMs = 10 * minuteMs;
/** How far a client allows its clock and the server's to differ. */
const toleranceMs = 10 * minuteMs;

const afterEachStep: Readonly<Record<string, Invariant>> = {
  'seats never above the limit': findExcessSeats,
  'no acknowledged write lost': findLostWrites,
  'an honest person never signed out': findSignedOut,
  'an ended session ends': findEndlessSession,
  'one live refresh token in a session': findTwinTokens,
  'no feature without a lease': findUnsignedFeature,
  'off within an interval of the revocation': findRevokedInUse,
  'the window shows what the client does': findWrongWindow,
  'no secret of one server sent to another': ({ leaks }) => leaks[0],
};

const afterCalm: Readonly<Record<string, Invariant>> = {
  'access follows the provider': findWrongAccess,
  'every device back to the truth': findUntrueDevice,
  'each event sent': findMissingEvent,
  'each mail once': findRepeatedMail,
  'the database sound, and the audit log unbroken': findBrokenAuditLog,
  'no secret where it does not belong': findSecret,
};

export const invariantNames = [...Object.keys(afterEachStep), ...Object.keys(afterCalm)];

/** Checks the invariants that always hold. Throws `Violation`. */
export async function checkStep(world: World): Promise<void> {
  if (world.server.isUp) await checkAll(world, afterEachStep);
}

/** Checks all invariants for a world that has been calm for at least ten minutes. Throws `Violation`. */
export async function checkCalm(world: World): Promise<void> {
  await checkAll(world, { ...afterEachStep, ...afterCalm });
}

async function checkAll(world: World, invariants: Readonly<Record<string, Invariant>>): Promise<void> {
  for (const [name, find] of Object.entries(invariants)) {
    const problem = await find(world);
    if (problem !== undefined) throw new Violation(name, problem);
  }
}

/** Counts active devices and those with a lease, unless staff have freed their place since. */
async function findExcessSeats(world: World): Promise<string | undefined> {
  for (const { id: accountId, licenses } of world.accounts) {
    for (const { id, key, maxActivations } of licenses) {
      const rows = await world.server.database.read
        .selectFrom('activations')
        .select('device_id')
        .where('license_id', '=', id)
        .where('released_at_ms', 'is', null)
        .execute();
      const active = rows.map(({ device_id }) => device_id);
      const leased = leasesOf(world, accountId, key).map(({ device_id }) => device_id);
      const seats = new Set([...active, ...leased]);
      if (seats.size > maxActivations) return `${seats.size} devices hold the ${maxActivations} seats of a license`;
      if (new Set(active).size < active.length) return 'one device has two activations of a license';
    }
  }
  return undefined;
}

function leasesOf({ leases, time, freedAtMs }: World, accountId: string, key: string) {
  return leases
    .filter(({ sub, license }) => sub === accountId && license === previewLicenseKey(key))
    .filter(({ exp }) => exp * secondMs > time.nowMs)
    .filter(({ device_id, iat }) => iat * secondMs >= (freedAtMs.get(device_id) ?? 0));
}

/** A device that returns within a day has one activation instead of two. */
async function findLostWrites({ server, activated, accounts }: World): Promise<string | undefined> {
  const { read } = server.database;
  const rows = await read.selectFrom('activations').select('device_id').execute();
  const stored = new Set(rows.map(({ device_id }) => device_id));
  const lost = [...activated.values()].filter((deviceId) => !stored.has(deviceId));
  if (lost.length > 0) return `${lost.length} activations that were acknowledged are gone`;
  for (const { email, id, password } of accounts) {
    const user = await read.selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirst();
    const encoded = user?.password_hash?.split('$').at(-1) ?? '';
    if (Buffer.from(encoded, 'base64url').toString() !== password) return `the new password of ${email} is gone`;
  }
  return undefined;
}

/** Sessions end after seven days without a refresh; using a copied disk ends the session too. */
function findSignedOut({ seats, time }: World): string | undefined {
  for (const { machine, session, isCopied } of seats) {
    if (!machine.isRunning || session.kind !== 'open' || isCopied || time.nowMs - session.atMs > 7 * dayMs - minuteMs)
      continue;
    const shown = machine.client.getState().session;
    if (shown.kind === 'signed-out') return `${machine.name} is signed out (${shown.reason})`;
  }
  return undefined;
}

/** A session that a user has ended on another machine ends here too, once this machine reaches the server. */
function findEndlessSession(world: World): string | undefined {
  for (const seat of world.seats) {
    const { session, isCopied, machine } = seat;
    const isNoticed = session.kind === 'ended' && world.time.nowMs - session.atMs >= noticeMs;
    if (isNoticed && !isCopied && isOnline(world, seat)) return `${machine.name} is still signed in`;
  }
  return undefined;
}

async function findTwinTokens({ server, time }: World): Promise<string | undefined> {
  const rows = await server.database.read
    .selectFrom('refresh_tokens')
    .innerJoin('sessions', 'sessions.id', 'refresh_tokens.session_id')
    .select('refresh_tokens.session_id as session_id')
    .where('sessions.revoked_at_ms', 'is', null)
    .where('refresh_tokens.used_at_ms', 'is', null)
    .where('refresh_tokens.expires_at_ms', '>', time.nowMs)
    .execute();
  const ids = rows.map(({ session_id }) => session_id);
  return new Set(ids).size < ids.length ? 'a session has two refresh tokens that can be used' : undefined;
}

/**
 * The server must have signed every feature that a device shows as on, and for long enough; if the clock is wrong, only
 * the former.
 */
function findUnsignedFeature({ seats, leases, time }: World): string | undefined {
  for (const { machine, knowsLeases } of seats) {
    if (!machine.isRunning || machine.isAsleep || !knowsLeases) continue;
    const { thisDevice, features } = machine.client.getState();
    const limitMs = machine.clockOffsetMs === 0 ? time.nowMs - toleranceMs : 0;
    for (const { feature, on } of features) {
      const isSigned = leases.some(
        ({ device_id, exp, features: signed }) =>
          device_id === thisDevice?.deviceId && signed[feature] === true && exp * secondMs > limitMs,
      );
      if (on && !isSigned) return `${feature} is on at ${machine.name}, and no lease says so`;
    }
  }
  return undefined;
}

/** A device that reaches the server has no features if the licenses of its account give none. */
async function findRevokedInUse(world: World): Promise<string | undefined> {
  const { seats, time, server } = world;
  for (const seat of seats) {
    const { machine, account } = seat;
    if (!isOnline(world, seat) || time.nowMs - account.changedAtMs < noticeMs) continue;
    const on = machine.client.getState().features.filter((each) => each.on);
    if (on.length === 0) continue;
    const licenses = await server.database.read
      .selectFrom('licenses')
      .select('status')
      .where('user_id', '=', account.id)
      .execute();
    if (!licenses.some(({ status }) => status === 'active')) {
      return `${on.length} features are on at ${machine.name}, and no license of ${account.email} is active`;
    }
  }
  return undefined;
}

function isOnline(world: World, seat: Seat): boolean {
  const { machine, quality } = seat;
  if (!machine.isRunning || machine.isAsleep || quality !== 'good' || !world.server.isUp) return false;
  // Without a disk, the session is not refreshed.
  if (machine.isElsewhere || machine.isDiskFull) return false;
  if (machine.client.getState().session.kind !== 'signed-in') return false;
  return world.time.nowMs - world.calmSinceMs(seat) >= noticeMs;
}

function findWrongWindow({ seats }: World): string | undefined {
  for (const { machine } of seats) {
    if (!machine.isRunning || machine.isAsleep) continue;
    const { client } = machine;
    for (const { feature, on } of client.getState().features) {
      const does = client.feature(feature).ok;
      if (does !== on) return `${machine.name} shows ${feature} as ${on ? 'on' : 'off'}, and does the opposite`;
    }
  }
  return undefined;
}

/** The last decision of the provider applies, whatever the order of its messages. */
async function findWrongAccess({ accounts, server }: World): Promise<string | undefined> {
  for (const { email, id, lastBilling } of accounts) {
    if (!lastBilling) continue;
    const { subscription } = await server.services.entitlements.status(id);
    const { plan, status } = lastBilling;
    if (subscription?.plan !== plan || subscription.status !== status) {
      return `${email} has ${subscription?.plan}, ${subscription?.status}, and the provider says ${plan}, ${status}`;
    }
  }
  return undefined;
}

async function findUntrueDevice(world: World): Promise<string | undefined> {
  for (const seat of world.seats) {
    const { machine, account } = seat;
    if (!isOnline(world, seat)) continue;
    const { features, thisDevice } = machine.client.getState();
    const expected = await readTruth(world, seat, thisDevice?.deviceId ?? '');
    const on = features.filter((each) => each.on).map(({ feature }) => feature);
    // If the response to an activation was lost, the user has to activate again.
    if (on.length === 0 && !thisDevice?.activated) continue;
    if (on.toSorted().join() !== expected.toSorted().join()) {
      return `at ${machine.name} of ${account.email} are on: [${on}], and the server gives [${expected}]`;
    }
  }
  return undefined;
}

/** Returns the features that the server currently gives this device. */
async function readTruth({ server, time }: World, { account }: Seat, deviceId: string): Promise<string[]> {
  const status = await server.services.entitlements.status(account.id);
  const rows = await server.database.read
    .selectFrom('activations')
    .innerJoin('licenses', 'licenses.id', 'activations.license_id')
    .select(['licenses.status as status', 'licenses.expires_at_ms as expires_at_ms'])
    .where('licenses.user_id', '=', account.id)
    .where('activations.device_id', '=', deviceId)
    .where('activations.released_at_ms', 'is', null)
    .execute();
  const isActivated = rows.some((row) => row.status === 'active' && (row.expires_at_ms ?? Infinity) > time.nowMs);
  // Its licenses depend on the subscription.
  if (!isActivated || status.subscription?.status !== 'active') return [];
  return Object.entries(status.features ?? {}).flatMap(([name, value]) => (value === true ? [name] : []));
}

/** An event has arrived for each activation, unless its receiver was down: then it is retried for three days. */
async function findMissingEvent({ server, time }: World): Promise<string | undefined> {
  const { read } = server.database;
  const deliveries = await read
    .selectFrom('event_deliveries')
    .select(['type', 'state', 'data', 'at_ms', 'ended_at_ms', 'next_attempt_at_ms'])
    .execute();
  const overdue = deliveries.find(
    ({ state, next_attempt_at_ms }) => state === 'pending' && next_attempt_at_ms < time.nowMs - minuteMs,
  );
  if (overdue) return `${overdue.type} was not tried again in time`;
  const excused = deliveries.filter(
    ({ state, at_ms, ended_at_ms }) =>
      state === 'pending' || (state === 'failed' && Number(ended_at_ms) - at_ms >= 3 * dayMs - hourMs),
  );
  const told = [...server.events, ...excused.map(({ type, data }) => ({ type, data: JSON.parse(data) }))];
  const names = new Set(told.map(({ type, data }) => `${type} ${data.activation_id}`));
  const activations = await read.selectFrom('activations').select('id').execute();
  const untold = activations.find(({ id }) => !names.has(`license.activated ${id}`));
  return untold ? 'no event tells of an activation' : undefined;
}

/** There is only one mail for each password change. */
function findRepeatedMail(world: World): string | undefined {
  for (const account of world.accounts) {
    const mails = world.passwordMailsOf(account);
    const { email, passwordChanges, repeatedMails } = account;
    if (mails > passwordChanges + repeatedMails) return `${email} got ${mails} mails for ${passwordChanges} changes`;
  }
  return undefined;
}

/** Runs the check that admins use, and reports everything it finds. */
async function findBrokenAuditLog({ server }: World): Promise<string | undefined> {
  const { problems } = await server.check();
  return problems.length > 0 ? problems.join(' ') : undefined;
}

async function findSecret({ server, seats, secrets }: World): Promise<string | undefined> {
  const places: [string, string][] = [
    ['the log of the server', server.log.join('')],
    ['an event', JSON.stringify(server.events)],
    ...seats.map(({ machine }): [string, string] => [`the log of ${machine.name}`, machine.log.join('\n')]),
    ...seats.map(({ machine }): [string, string] => [
      `the settings of ${machine.name}`,
      [...machine.disk.plain.values()].join('\n'),
    ]),
    ...seats
      .filter(({ machine }) => machine.isRunning)
      .map(({ machine }): [string, string] => [
        `the window of ${machine.name}`,
        JSON.stringify(machine.client.getState()),
      ]),
  ];
  const audit = await server.database.read.selectFrom('audit_events').selectAll().execute();
  places.push(['the audit log', JSON.stringify(audit)]);
  for (const [place, text] of places) {
    for (const secret of secrets)
      if (text.includes(secret)) return `${place} has a secret of ${secret.length} characters`;
    for (const { machine } of seats) if (text.includes(machine.hardwareId)) return `${place} has a raw machine id`;
  }
  return undefined;
}

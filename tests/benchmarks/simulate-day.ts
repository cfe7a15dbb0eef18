/**
 * `npm run simulate`: a day of very many devices in minutes, through the service's own rate limiter, heartbeats and
 * refreshes on SQLite, with a clock that the simulation moves. No HTTP, so it says what the service does, not how fast
 * it answers. Devices pace themselves with the desktop app's own function.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nextSyncDelayMs } from '../../electron/licensing/backoff.ts';
import { isRecordDue } from '../../server/activations/activation.rules.ts';
import { readConfig } from '../../server/config.ts';
import { openSqlite } from '../../server/database/sqlite-database.ts';
import { systemRandom } from '../../server/random.ts';
import { MemoryRateCounter } from '../../server/rate-limits/memory-rate-counter.ts';
import { openSecrets } from '../../server/secrets.ts';
import { createServices } from '../../server/services.ts';
import { settings as appSettings } from '../../shared/ipc/settings.ts';
import { createFakeClock, hour, minute, second } from '../harness/fake-clock.ts';
import { insertIntoSqlite } from './seed/insert-rows.ts';
import { seedDatabase } from './seed/seed-database.ts';
import { deviceIdOf, memberRows, refreshTokenOf, userIdOf } from './seed/seeded-accounts.ts';

const help = `usage: npm run simulate [-- OPTIONS]

  --devices N    how many devices, each with an account of its own (2000)
  --full         1,000,000 devices: hours, and 2 GB of memory
  --from H       begin at this hour of the day (0)
  --until H      end at this hour (24)
  --limiter N    how many clients the limiter remembers (100,000 for a million devices, as one process does)
  --outage H     the server is away for 10 minutes at this hour; 0 for never (14)

TMPDIR names the folder of the database. Where that is in memory, nothing waits for a disk.
`;

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '2000' },
    full: { type: 'boolean', default: false },
    from: { type: 'string', default: '0' },
    until: { type: 'string', default: '24' },
    outage: { type: 'string', default: '14' },
    limiter: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const million = 1_000_000;
const devices = values.full ? million : Number(values.devices);
const [fromSecond, untilSecond] = [Number(values.from) * 3600, Number(values.until) * 3600];
const outageSeconds = Number(values.outage) * 3600;

/** One device in five is on all day. The others start around nine, in one time zone, and run for eight hours. */
const alwaysOn = 0.2;
/** In the window's foreground, where a device syncs each minute. */
const inForeground = 0.1;
/** Broken clients that ask twice a second, for an hour from ten. */
const broken = 0.001;

/** As the settings' defaults. A map of the limiter holds 100,000 clients; of fewer devices, as large a part of them. */
const limits = { heartbeat: 60, license: 30, subscriptionStatus: 60, refresh: 60 };
type Bucket = keyof typeof limits;
const limiterCapacity = Number(values.limiter ?? Math.max(100, Math.round((100_000 * devices) / million)));

/** Of the desktop app, in the background. */
const intervalSeconds = appSettings.parse({}).heartbeatIntervalSeconds;

/** How many requests are under way at once. */
const concurrency = 64;

class Device {
  readonly number: number;
  readonly userId: string;
  readonly deviceId: string;
  readonly isForeground: boolean;
  readonly isBroken: boolean;
  readonly onAt: number;
  readonly offAt: number;
  refreshToken: string;
  tokenUntilMs = 0;
  recordedAtMs: number | undefined;
  failures = 0;

  constructor(number: number) {
    this.number = number;
    this.userId = userIdOf(number);
    this.deviceId = deviceIdOf(number);
    this.refreshToken = refreshTokenOf(number);
    this.isForeground = Math.random() < inForeground;
    this.isBroken = number < devices * broken;
    const isAlwaysOn = Math.random() < alwaysOn;
    // The sum of three is nearly a normal distribution: nine o'clock ± an hour.
    const arrival = (9 + (Math.random() + Math.random() + Math.random() - 1.5) * 2) * 3600;
    this.onAt = isAlwaysOn ? 0 : Math.round(arrival);
    this.offAt = isAlwaysOn ? 24 * 3600 : Math.round(arrival + 8 * 3600);
  }
}

/** What happened in each second. */
class Tally {
  readonly requests = new Uint32Array(24 * 3600);
  readonly heartbeats = new Uint32Array(24 * 3600);
  readonly rows = new Uint32Array(24 * 3600);
  readonly refreshes = new Uint32Array(24 * 3600);
  readonly failed = new Uint32Array(24 * 3600);
  readonly refused: Record<Bucket, number> = { heartbeat: 0, license: 0, subscriptionStatus: 0, refresh: 0 };
  refusedOfBroken = 0;
  warnings = 0;
}

async function simulate(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-simulation-'));
  try {
    const settings = { LATCHKEY_DATA: folder, LATCHKEY_ACCESS_TOKEN_TTL: '1h' };
    console.log(`making ${count(devices)} accounts …`);
    await seedDatabase(settings, { accounts: devices, accessTokens: 0, rowsOf: memberRows }, insertIntoSqlite(folder));
    await run(readConfig(settings));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(config: ReturnType<typeof readConfig>): Promise<void> {
  // The accounts were made now, and sessions end after a week.
  const clock = createFakeClock(Date.now() + second);
  const baseMs = clock.now() - fromSecond * second;
  const database = await openSqlite(config.databaseFile, clock);
  const secrets = await openSecrets(config.secretsFile, database, systemRandom);
  let commits = 0;
  const counted: typeof database = {
    read: database.read,
    accountChanges: database.accountChanges,
    close: () => database.close(),
    write: (work) => {
      commits += 1;
      return database.write(work);
    },
  };
  const services = createServices({ config, database: counted, secrets, clock, random: systemRandom });
  const counter = new MemoryRateCounter({ clock, capacity: limiterCapacity });
  const tally = new Tally();
  const sizeBefore = databaseSize(config.databaseFile);
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  let peakMemory = 0;

  /** The seconds in which something is due. */
  const due: Device[][] = Array.from({ length: 24 * 3600 + 1 }, () => []);
  const plan = (device: Device, at: number) => {
    const second = Math.max(Math.ceil(at), fromSecond);
    if (second < Math.min(device.offAt, untilSecond)) due[second]?.push(device);
  };
  for (let number = 0; number < devices; number++) {
    const device = new Device(number);
    // Those that are on already are somewhere within their interval.
    const isRunning = device.onAt <= fromSecond;
    plan(device, isRunning ? fromSecond + Math.random() * intervalSeconds : device.onAt);
    if (isRunning) device.tokenUntilMs = clock.now() + Math.random() * hour;
  }

  const isAllowed = async (bucket: Bucket, device: Device, at: number): Promise<boolean> => {
    tally.requests[at] = (tally.requests[at] ?? 0) + 1;
    const { allowed } = await counter.take(`${bucket} user ${device.userId}`, limits[bucket]);
    if (allowed) return true;
    if (device.isBroken) tally.refusedOfBroken += 1;
    else tally.refused[bucket] += 1;
    return false;
  };

  const sync = async (device: Device, at: number): Promise<void> => {
    const isAway = outageSeconds > 0 && at >= outageSeconds && at < outageSeconds + 600;
    if (isAway) {
      tally.failed[at] = (tally.failed[at] ?? 0) + 1;
      device.failures += 1;
    } else {
      device.failures = 0;
      await succeed(device, at);
    }
    const isLooping = device.isBroken && at >= 10 * 3600 && at < 11 * 3600;
    const delayMs = nextSyncDelayMs({
      failures: device.failures,
      foreground: device.isForeground,
      intervalSeconds,
      retryAfterSeconds: null,
      fraction: Math.random(),
    });
    plan(device, isLooping ? at + 1 : at + delayMs / second);
    if (isLooping) await succeed(device, at);
  };

  const address = (device: Device) =>
    `10.${(device.number >> 16) & 255}.${(device.number >> 8) & 255}.${device.number & 255}`;

  const succeed = async (device: Device, at: number): Promise<void> => {
    const nowMs = clock.now();
    if (nowMs >= device.tokenUntilMs - minute && (await isAllowed('refresh', device, at))) {
      const { refresh_token } = await services.auth.refresh(device.refreshToken, {
        idempotencyKey: randomUUID(),
        address: address(device),
      });
      device.refreshToken = refresh_token;
      device.tokenUntilMs = nowMs + hour;
      tally.refreshes[at] = (tally.refreshes[at] ?? 0) + 1;
    }
    if (await isAllowed('heartbeat', device, at)) {
      tally.heartbeats[at] = (tally.heartbeats[at] ?? 0) + 1;
      if (isRecordDue(device.recordedAtMs, nowMs)) {
        device.recordedAtMs = nowMs;
        tally.rows[at] = (tally.rows[at] ?? 0) + 1;
      }
      const { warning } = await services.heartbeats.record(device.userId, device.deviceId, address(device));
      if (warning !== undefined) tally.warnings += 1;
    }
    // What else a sync asks: reads of the account, which the service holds in memory if it is among the 20,000 last ones.
    await isAllowed('license', device, at);
    if (await isAllowed('subscriptionStatus', device, at)) await services.entitlements.status(device.userId);
  };

  for (let at = fromSecond; at < untilSecond; at++) {
    clock.advance(baseMs + at * second - clock.now());
    const now = due[at] ?? [];
    due[at] = [];
    for (let index = 0; index < now.length; index += concurrency) {
      await Promise.all(now.slice(index, index + concurrency).map((device) => sync(device, at)));
    }
    if (at % 600 === 0) {
      peakMemory = Math.max(peakMemory, process.memoryUsage.rss());
      const passed = (at - fromSecond) / (untilSecond - fromSecond);
      if (process.stderr.isTTY) process.stderr.write(`\r${timeOf(at)} (${Math.round(passed * 100)} %)  `);
    }
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  await database.close();
  report({
    tally,
    commits,
    cpuSeconds: (user + system) / 1e6,
    elapsedSeconds: (performance.now() - startedMs) / 1000,
    peakMemory,
    growth: databaseSize(config.databaseFile) - sizeBefore,
    sizeBefore,
  });
}

type Outcome = {
  readonly tally: Tally;
  readonly commits: number;
  readonly cpuSeconds: number;
  readonly elapsedSeconds: number;
  readonly peakMemory: number;
  readonly growth: number;
  readonly sizeBefore: number;
};

/** Beside each figure what it is for a million devices, where it grows with their number. */
function report(outcome: Outcome): void {
  const { tally, commits, cpuSeconds, elapsedSeconds, peakMemory, growth, sizeBefore } = outcome;
  const factor = million / devices;
  const rate = (perSecond: number) => [round(perSecond), round(perSecond * factor)];
  const total = (numbers: Uint32Array) => numbers.reduce((sum, number) => sum + number, 0);
  const ofMany = (amount: number) => [count(amount), count(amount * factor)];
  const refused = Object.values(tally.refused).reduce((sum, number) => sum + number, 0);
  const writes = tally.rows.map((rows, index) => rows + (tally.refreshes[index] ?? 0));
  const peak = (numbers: Uint32Array) => rate(highestMinute(numbers).perSecond);
  const afterOutage = tally.requests.slice(outageSeconds + 600, outageSeconds + 2400);
  const rows: (readonly [string, ...string[]])[] = [
    ['requests', ...ofMany(total(tally.requests))],
    ['heartbeats', ...ofMany(total(tally.heartbeats))],
    ['refreshes', ...ofMany(total(tally.refreshes))],
    [`requests a second, highest minute (${highestMinute(tally.requests).at})`, ...peak(tally.requests)],
    [`heartbeats a second, highest minute (${highestMinute(tally.heartbeats).at})`, ...peak(tally.heartbeats)],
    [`rows written a second, highest minute (${highestMinute(writes).at})`, ...peak(writes)],
    ['refreshes a second, highest minute', ...peak(tally.refreshes)],
    ...(outageSeconds > 0
      ? [['requests a second, highest minute after the outage', ...peak(afterOutage)] as const]
      : []),
    ['refused: clients that keep to the interval', ...ofMany(refused)],
    ['refused: broken clients', ...ofMany(tally.refusedOfBroken)],
    ['warnings', ...ofMany(tally.warnings)],
    ['database before, MB', ...[sizeBefore, sizeBefore * factor].map((bytes) => round(bytes / 1e6))],
    ['database growth, MB', ...[growth, growth * factor].map((bytes) => round(bytes / 1e6))],
    ['memory of the process, simulated devices included, MB', round(peakMemory / 1e6), ''],
    ['writes that were asked for (some share a commit)', ...ofMany(commits)],
    [
      'processor time for a heartbeat with all that goes with it, µs',
      round((cpuSeconds * 1e6) / total(tally.heartbeats)),
      '',
    ],
  ];
  console.log(
    `\n${count(devices)} devices, ${timeOf(fromSecond)} to ${timeOf(untilSecond)}, in ${round(elapsedSeconds)} s\n`,
  );
  console.log(`${''.padEnd(66)}${'simulated'.padStart(14)}${'1 million'.padStart(16)}`);
  for (const [name, own, scaled = ''] of rows)
    console.log(name.padEnd(66) + (own ?? '').padStart(14) + scaled.padStart(16));
}

function highestMinute(perSecond: Uint32Array): { readonly perSecond: number; readonly at: string } {
  let [best, at] = [0, 0];
  for (let start = 0; start < perSecond.length; start += 60) {
    const sum = perSecond.subarray(start, start + 60).reduce((total, number) => total + number, 0);
    if (sum > best) [best, at] = [sum, start];
  }
  return { perSecond: best / 60, at: timeOf(at) };
}

function databaseSize(file: string): number {
  return statSync(file).size;
}

function timeOf(seconds: number): string {
  return `${Math.floor(seconds / 3600)}:${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}`;
}

function count(number: number): string {
  return Math.round(number).toLocaleString('en');
}

function round(number: number): string {
  return number >= 100 ? count(number) : number.toPrecision(3);
}

if (values.help) console.log(help);
else await simulate();

/**
 * `npm run simulate-day`: a day of many devices in minutes, through the service's own rate limiter, heartbeats and
 * refreshes on SQLite, with a simulated clock. Devices pace themselves with the desktop app's own function.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, readConfig } from '../../server/settings/config.ts';
import { createFakeClock, hour, second } from '../harness/fake-clock.ts';
import { insertIntoSqlite } from './seed/insert-rows.ts';
import { seedDatabase } from './seed/seed-database.ts';
import { memberRows } from './seed/seeded-accounts.ts';
import { intervalSeconds, SimulatedDevice } from './simulation/simulated-device.ts';
import { SimulatedService } from './simulation/simulated-service.ts';
import { formatOutcome, Tally, timeOf } from './simulation/tally.ts';

const help = `usage: npm run simulate-day [-- OPTIONS]

  --devices N    how many devices, each with an account of its own (2000)
  --full         1,000,000 devices: hours, and 2 GB of memory
  --from H       begin at this hour of the day (0)
  --until H      end at this hour (24)
  --limiter N    how many clients the limiter remembers (100,000 for a million devices, as one process does)
  --outage H     the server is away for 10 minutes at this hour; 0 for never (14)

TMPDIR names the folder of the database. Where that is in memory, nothing waits for a disk.
`;

const { values: options } = parseArgs({
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
const devices = options.full ? million : Number(options.devices);
const [from, until, outage] = [options.from, options.until, options.outage].map((hours) => Number(hours) * 3600) as [
  number,
  number,
  number,
];
const outageSeconds = 600;
const limiterCapacity = Number(options.limiter ?? Math.max(100, Math.round((100_000 * devices) / million)));

/** Number of concurrent requests. */
const concurrency = 64;

/** The devices that are due in each second of the day. */
class Schedule {
  readonly #due: SimulatedDevice[][] = Array.from({ length: 24 * 3600 }, () => []);

  add(device: SimulatedDevice, at: number): void {
    const due = Math.max(Math.ceil(at), from);
    if (due < Math.min(device.offAt, until)) this.#due[due]?.push(device);
  }

  take(at: number): readonly SimulatedDevice[] {
    return this.#due.splice(at, 1, [])[0] ?? [];
  }
}

async function simulate(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-simulation-'));
  try {
    const settings = { LATCHKEY_DATA: folder };
    console.log(`making ${devices.toLocaleString('en')} accounts …`);
    await seedDatabase(settings, { accounts: devices, accessTokens: 0, rowsOf: memberRows }, insertIntoSqlite(folder));
    await run(readConfig(settings));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(config: Config): Promise<void> {
  // The accounts were created just now, and sessions end after a week.
  const clock = createFakeClock(Date.now() + second);
  const beganMs = clock.now();
  const tally = new Tally();
  const before = statSync(config.databaseFile).size;
  const service = await SimulatedService.open({ config, clock, tally, limiterCapacity });
  const schedule = new Schedule();
  for (let number = 0; number < devices; number++) arrive(new SimulatedDevice(number, devices), schedule, beganMs);

  const cpuBefore = process.cpuUsage();
  let memoryBytes = 0;
  for (let at = from; at < until; at++) {
    clock.advance(beganMs + (at - from) * second - clock.now());
    const due = schedule.take(at);
    for (let index = 0; index < due.length; index += concurrency) {
      await Promise.all(due.slice(index, index + concurrency).map((device) => act(device, at, service, schedule)));
    }
    if (at % 600 === 0) {
      memoryBytes = Math.max(memoryBytes, process.memoryUsage.rss());
      if (process.stderr.isTTY) process.stderr.write(`\r${timeOf(at)} `);
    }
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  await service.close();
  const databaseBytes = { before, after: statSync(config.databaseFile).size };
  const backAt = outage > 0 ? outage + outageSeconds : undefined;
  const cpuSeconds = (user + system) / 1e6;
  console.log(formatOutcome({ devices, tally, backAt, cpuSeconds, memoryBytes, databaseBytes }));
}

/** Adds a device. One that is already on is at a random point of its interval and of its token's lifetime. */
function arrive(device: SimulatedDevice, schedule: Schedule, nowMs: number): void {
  const isOn = device.onAt <= from;
  if (isOn) device.tokenUntilMs = nowMs + Math.random() * hour;
  schedule.add(device, isOn ? from + Math.random() * intervalSeconds : device.onAt);
}

async function act(device: SimulatedDevice, at: number, service: SimulatedService, schedule: Schedule): Promise<void> {
  const isAway = outage > 0 && at >= outage && at < outage + outageSeconds;
  device.failures = isAway ? device.failures + 1 : 0;
  if (!isAway) await service.sync(device, at);
  if (device.isLooping(at)) await service.sync(device, at);
  schedule.add(device, device.isLooping(at) ? at + 1 : at + device.nextDelaySeconds());
}

if (options.help) console.log(help);
else await simulate();

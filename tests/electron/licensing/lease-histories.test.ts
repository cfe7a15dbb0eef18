/**
 * Thousands of histories of one machine with pinned lease keys: online and offline, asleep and off, with a clock that
 * is set either way, lost answers, revocations, releases and restarts. The features that are on never exceed what the
 * server signed, never last longer, and are never fewer without a conclusive refusal.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { clockToleranceMs } from '../../../electron/licensing/trusted-time.ts';
import { type LeaseClaims, leaseClaims } from '../../../shared/lease.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { createFakePlatform, type FakePlatform, type Reply } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { errorReply, licenseKey, ScriptedServer } from './scripted-server.ts';
import { startTestClient, type TestClient } from './start-client.ts';

const [minuteMs, dayMs] = [60_000, 86_400_000];

const lost: readonly Reply[] = [
  { fails: 'unreachable' },
  { fails: 'timeout' },
  errorReply(503, 'SERVICE_UNAVAILABLE'),
  { status: 200, text: '<html>Sign in to the network</html>' },
  { status: 302, text: '' },
];

const someMs = fc.integer({ min: minuteMs, max: 6 * dayMs });
const someAction = fc.oneof(
  fc.record({ kind: fc.constant('run' as const), ms: fc.integer({ min: minuteMs, max: 90 * minuteMs }) }),
  fc.record({ kind: fc.constant('sleep' as const), ms: someMs }),
  fc.record({ kind: fc.constant('restart' as const), offMs: fc.oneof(fc.constant(0), someMs) }),
  fc.record({ kind: fc.constant('set-clock' as const), byMs: fc.integer({ min: -400 * dayMs, max: 400 * dayMs }) }),
  fc.record({ kind: fc.constant('right-clock' as const) }),
  fc.record({ kind: fc.constant('cut' as const), reply: fc.constantFrom(...lost) }),
  fc.record({ kind: fc.constant('connect' as const) }),
  fc.record({ kind: fc.constant('hide-leases' as const) }),
  fc.record({ kind: fc.constant('show-leases' as const) }),
  fc.record({ kind: fc.constant('check' as const) }),
  fc.record({ kind: fc.constant('revoke' as const) }),
  fc.record({ kind: fc.constant('reinstate' as const) }),
  fc.record({ kind: fc.constant('plan' as const), plan: fc.constantFrom('standard', 'advanced', 'free') }),
  fc.record({ kind: fc.constant('activate' as const) }),
);
type Action = typeof someAction extends fc.Arbitrary<infer T> ? T : never;

/** The true time is that of the machine, minus what its user has set the clock by. */
class World {
  setByMs = 0;
  /**
   * Time in which the machine was off, or asleep and then off before the time was stored. Only the wall clock measures
   * it, so once that is set back, nothing does.
   */
  #offMs = 0;
  #unstoredMs = 0;
  #wasSetBack = false;
  /** Everything the server has signed, the newest last. */
  readonly signed: LeaseClaims[] = [];
  /** True if the client was refused since the newest lease reached it. */
  hasRefused = false;
  isCut = false;
  readonly platform: FakePlatform = createFakePlatform();
  /** Signs short leases, so that many histories outlast them. */
  readonly signer = new LeaseSigner('lease-1', 3 * 86_400);
  readonly server: ScriptedServer;

  constructor() {
    const { http, clock } = this.platform;
    this.server = new ScriptedServer({ http, clock: { ...clock, now: () => this.trueMs } });
    this.server.leases = this.signer;
    http.sendDate(() => this.trueMs);
    const { sign } = this.signer;
    this.signer.sign = (about, nowMs) => {
      const response = sign.call(this.signer, about, nowMs);
      const [, payload = ''] = response.lease.split('.');
      this.signed.push(leaseClaims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString())));
      this.hasRefused = false;
      return response;
    };
  }

  get trueMs(): number {
    return this.platform.clock.now() - this.setByMs;
  }

  get untoldMs(): number {
    return this.#wasSetBack ? this.#offMs : 0;
  }

  /**
   * The lowest offset of the clock since the server last reported the time; the app may have stored the time then. What
   * the clock was set ahead since is taken, after a new start, for time in which the machine was off, until the server
   * reports the time again.
   */
  #lowestSetByMs = 0;
  isMisled = false;

  /** Call when the app has stored the time and the server has reported it. */
  seeClock(): void {
    this.#lowestSetByMs = this.setByMs;
    this.isMisled = false;
  }

  reboot(offMs: number): void {
    this.isMisled ||= this.setByMs - this.#lowestSetByMs > clockToleranceMs;
    this.platform.clock.reboot(offMs);
    this.#offMs += offMs + this.#unstoredMs;
    this.#unstoredMs = 0;
  }

  sleep(ms: number): void {
    this.platform.clock.sleep(ms);
    this.#unstoredMs += ms;
  }

  setClock(byMs: number): void {
    const { clock } = this.platform;
    clock.setWall(clock.now() + byMs);
    this.setByMs += byMs;
    this.#lowestSetByMs = Math.min(this.#lowestSetByMs, this.setByMs);
    this.#wasSetBack ||= byMs < 0;
  }
}

async function act(world: World, test: TestClient, action: Action): Promise<TestClient> {
  const { platform, server } = world;
  switch (action.kind) {
    case 'run':
      await platform.clock.advance(action.ms);
      if (!world.isCut && action.ms > 10 * minuteMs) world.seeClock();
      return test;
    case 'sleep':
      test.platform.suspend();
      world.sleep(action.ms);
      test.platform.wake();
      return test;
    case 'restart':
      return test.restart(() => world.reboot(action.offMs));
    case 'set-clock':
      world.setClock(action.byMs);
      return test;
    case 'right-clock':
      world.setClock(-world.setByMs);
      return test;
    case 'cut':
    case 'connect':
      world.isCut = action.kind === 'cut';
      platform.http.cut(action.kind === 'cut' ? action.reply : null);
      return test;
    case 'hide-leases':
    case 'show-leases':
      server.leases = action.kind === 'show-leases' ? world.signer : null;
      return test;
    case 'check': {
      // Each call of a sync may be sent twice.
      const checked = test.client.syncNow();
      await platform.clock.advance(30_000);
      await checked;
      if (!world.isCut) world.seeClock();
      return test;
    }
    case 'revoke':
    case 'reinstate':
      server.invalidCode = action.kind === 'revoke' ? 'LICENSE_REVOKED' : null;
      world.hasRefused ||= action.kind === 'revoke';
      return test;
    case 'plan':
      Object.assign(server, { plan: action.plan, features: seededPlans[action.plan as keyof typeof seededPlans] });
      return test;
    case 'activate': {
      const activated = test.client.activateLicense({ licenseKey });
      await platform.clock.advance(30_000);
      await activated;
      if (!world.isCut) world.seeClock();
      return test;
    }
  }
}

/** Checks what must hold after every step. */
function check(world: World, test: TestClient): void {
  const { trueMs, signed } = world;
  const on = new Set(test.on());
  const counts = signed.filter(({ exp }) => trueMs < exp * 1000 + clockToleranceMs + world.untoldMs);
  for (const feature of on) {
    expect(
      counts.some((claims) => claims.features[feature] === true),
      `${feature} was signed`,
    ).toBe(true);
  }
  const newest = signed.at(-1);
  // A clock that is ahead makes the machine seem to have been off for that long, until it is right again.
  const isMisled = world.isMisled || world.setByMs > clockToleranceMs;
  if (newest === undefined || world.hasRefused || isMisled || trueMs >= newest.exp * 1000 - clockToleranceMs) return;
  expect(test.client.getState().lease.state, 'a lease that nobody has ended').toBe('good');
  for (const [feature, isOn] of Object.entries(newest.features)) {
    if (isOn === true) expect(on.has(feature), `${feature} is on`).toBe(true);
  }
}

/** Found by a random run: the clock is set right, and the machine restarted right afterwards. */
const clockSetWhileOpen: Action[] = [
  { kind: 'set-clock', byMs: -258_300_001 },
  { kind: 'run', ms: 895_000 },
  { kind: 'set-clock', byMs: 258_300_000 },
  { kind: 'restart', offMs: 0 },
  { kind: 'check' },
];

/**
 * Found by a random run: the device is activated while its clock is wrong, and the clock is set right just before a
 * restart.
 */
const activatedByWrongClock: Action[] = [
  { kind: 'set-clock', byMs: -259_197_011 },
  { kind: 'sleep', ms: 29_161_990 },
  { kind: 'activate' },
  { kind: 'right-clock' },
  { kind: 'set-clock', byMs: -28_001 },
  { kind: 'restart', offMs: 0 },
];

/** Found by a random run: the clock is set far back and then partly ahead, just before a restart without a server. */
const clockSetBackAndAhead: Action[] = [
  { kind: 'cut', reply: { status: 302, text: '' } },
  { kind: 'set-clock', byMs: -10_218_076_318 },
  { kind: 'check' },
  { kind: 'set-clock', byMs: 7_990_835_604 },
  { kind: 'restart', offMs: 0 },
  { kind: 'set-clock', byMs: -23_894_612_868 },
];

it('the features that are on are exactly those the server signed, for exactly as long, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someAction, { maxLength: 20 }), async (actions) => {
      const world = new World();
      const keys = { from: 'built-in', keys: [world.signer.jwk] } as const;
      let test = await startTestClient(world.platform, world.server, 'http://127.0.0.1:8470', keys);
      await test.client.signIn({ email: 'ada@lab.org', password: 'right' });
      await test.client.activateLicense({ licenseKey });
      await world.platform.clock.advance(5000);
      check(world, test);
      for (const action of actions) {
        test = await act(world, test, action);
        check(world, test);
        // A sync while online shows it immediately.
        if (action.kind === 'check' && !world.isCut && world.server.invalidCode !== null) expect(test.on()).toEqual([]);
      }
      await test.client.stop();
    }),
    {
      numRuns: process.env.TEST_QUICK === '1' ? 60 : 500,
      // A history that hangs is reported with its seed.
      timeout: 150_000,
      examples: [[clockSetWhileOpen], [activatedByWrongClock], [clockSetBackAndAhead]],
    },
  );
});

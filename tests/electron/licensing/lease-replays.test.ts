/**
 * An owner with pinned lease keys who has kept every lease that the server ever signed, answers in place of the server,
 * imports leases as files, and sets the clock at will: a signed period can be used at most twice.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { features } from '../../../shared/api/features.ts';
import { seededPlans } from '../../../shared/seeded-features.ts';
import { createFakePlatform } from '../fake-platform.ts';
import { LeaseSigner } from './lease-signer.ts';
import { licenseKey, ScriptedServer } from './scripted-server.ts';
import { startTestClient, type TestClient } from './start-client.ts';

const [hourMs, dayMs] = [3_600_000, 86_400_000];
/** One lease for each day of a week, each valid for two days. */
const [leaseCount, leaseDays] = [7, 2];
const spanMs = (leaseCount - 1 + leaseDays) * dayMs;

const someLease = fc.nat(leaseCount - 1);
/** Around the time of the leases, and far from it. */
const someTime = fc.oneof(
  fc.integer({ min: -3 * dayMs, max: spanMs + 3 * dayMs }),
  fc.constantFrom(-9000 * dayMs, 9000 * dayMs),
);
const someAction = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('use' as const), hours: fc.integer({ min: 12, max: 60 }) }) },
  fc.record({ kind: fc.constant('set-clock' as const), toMs: someTime }),
  fc.record({ kind: fc.constant('reboot' as const), toMs: someTime }),
  fc.record({ kind: fc.constant('import' as const), lease: someLease }),
  fc.record({ kind: fc.constant('answer' as const), lease: someLease, dateMs: someTime }),
);
type Action = typeof someAction extends fc.Arbitrary<infer T> ? T : never;

async function startOwner() {
  const platform = createFakePlatform();
  const server = new ScriptedServer(platform);
  const signer = new LeaseSigner('lease-1', leaseDays * 86_400);
  server.leases = signer;
  const keys = { from: 'built-in', keys: [signer.jwk] } as const;
  const test = await startTestClient(platform, server, 'http://127.0.0.1:8470', keys);
  const startMs = platform.clock.now();
  const about = {
    sub: server.user.id,
    device_id: test.client.getState().thisDevice?.deviceId ?? '',
    license: 'SVC-AB12...GH7X',
    plan: 'standard',
    features: features.parse(seededPlans.standard),
  };
  const leases = Array.from({ length: leaseCount }, (_, day) => signer.sign(about, startMs + day * dayMs));
  platform.http.on('POST /license/lease', { fails: 'unreachable' });
  await test.client.signIn({ email: 'ada@lab.org', password: 'right' });
  await withRetries(test, test.client.activateLicense({ licenseKey }));
  return { test, startMs, leases };
}
type Owner = Awaited<ReturnType<typeof startOwner>>;

/** Lets the time of quick retries pass. */
async function withRetries({ platform }: TestClient, done: Promise<unknown>): Promise<void> {
  await platform.clock.advance(30_000);
  await done;
}

/** Returns the time for which the feature was on. */
async function passTime(test: TestClient, hours: number): Promise<number> {
  let usedMs = 0;
  for (let hour = 0; hour < hours; hour += 6) {
    test.platform.suspend();
    test.platform.clock.sleep(6 * hourMs);
    test.platform.wake();
    if (test.client.feature('csv_export').ok) usedMs += 6 * hourMs;
  }
  return usedMs;
}

async function act(owner: Owner, action: Exclude<Action, { kind: 'use' }>): Promise<Owner> {
  const { test, startMs, leases } = owner;
  const { clock, http } = test.platform;
  switch (action.kind) {
    case 'set-clock':
      clock.setWall(startMs + action.toMs);
      return owner;
    case 'reboot': {
      const restarted = await test.restart(() => {
        clock.reboot();
        clock.setWall(startMs + action.toMs);
      });
      return { ...owner, test: restarted };
    }
    case 'import':
      await withRetries(test, test.client.importLease({ text: leases[action.lease]?.lease ?? '' }));
      return owner;
    case 'answer': {
      http.sendDate(() => startMs + action.dateMs);
      http.on('POST /license/lease', { json: leases[action.lease] });
      await withRetries(test, test.client.renewLease());
      http.on('POST /license/lease', { fails: 'unreachable' });
      return owner;
    }
  }
}

it('replayed leases can be used for at most twice their time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(someAction, { minLength: 10, maxLength: 60 }), async (actions) => {
      let owner = await startOwner();
      let usedMs = 0;
      for (const action of actions) {
        if (action.kind === 'use') usedMs += await passTime(owner.test, action.hours);
        else owner = await act(owner, action);
      }
      await owner.test.client.stop();
      expect(usedMs / dayMs).toBeLessThanOrEqual((2 * spanMs) / dayMs);
    }),
    { numRuns: process.env.TEST_QUICK === '1' ? 30 : 200 },
  );
});

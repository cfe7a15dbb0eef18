/** An unused client barely uses the processor and the disk. */
import { expect, it } from 'vitest';
import { startActivated } from './start-client.ts';

const hours = 24;

it('an idle client wakes at most once a minute, and writes once per heartbeat, twice per refresh and once an hour', async () => {
  const { client, platform } = await startActivated();
  const { clock, http, plain, secrets } = platform;
  const count = () => ({
    wakeUps: clock.wakeUps(),
    writes: plain.writes.length + secrets.writes.length,
    heartbeats: http.to('/heartbeat').length,
    refreshes: http.to('/auth/refresh').length,
  });
  await clock.advance(3_600_000);
  const before = count();
  await clock.advance(hours * 3_600_000);
  const after = count();
  await client.stop();

  const heartbeats = after.heartbeats - before.heartbeats;
  expect(heartbeats).toBeGreaterThan(hours);
  expect(after.wakeUps - before.wakeUps).toBeLessThanOrEqual(hours * 60);
  const refreshes = after.refreshes - before.refreshes;
  expect(after.writes - before.writes).toBeLessThanOrEqual(heartbeats + 2 * refreshes + hours + 1);
});

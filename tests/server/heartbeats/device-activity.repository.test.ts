/** Which device activity a heartbeat reads: few records, however many there are. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listDeviceActivity, recordDeviceActivity } from '../../../server/heartbeats/device-activity.repository.ts';
import { hour, minute } from '../../harness/fake-clock.ts';
import { deviceId } from '../../harness/services-of.ts';
import { startTestApp, type TestApp } from '../../harness/start-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

it('those of the device are read for a day, those of the account’s other devices for as long as they are counted', async () => {
  const [person, other] = [await test.signUp(), await test.signUp()];
  const nowMs = test.clock.now();
  const [device, recent, earlier] = [deviceId(1), deviceId(2), deviceId(3)];
  const record = (userId: string, device_id: string, agoMs: number) =>
    test.database.write((transaction) =>
      recordDeviceActivity(transaction, { user_id: userId, device_id, network: '203.0.113.0/24' }, nowMs - agoMs),
    );
  await record(person.id, device, 2 * hour);
  await record(other.id, device, 23 * hour);
  await record(person.id, recent, minute);
  await record(person.id, earlier, hour);
  await record(other.id, recent, minute);

  const rows = await listDeviceActivity(test.database.read, {
    device: { id: device, sinceMs: nowMs - 24 * hour },
    user: { id: person.id, sinceMs: nowMs - 15 * minute },
  });
  expect(rows.map((row) => [row.user_id, row.device_id]).sort()).toEqual(
    [
      [person.id, device],
      [other.id, device],
      [person.id, recent],
    ].sort(),
  );
});

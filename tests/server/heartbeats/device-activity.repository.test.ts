/** Which device activity a heartbeat reads: few records, however many there are. */
import { expect, it } from 'vitest';
import { listDeviceActivity, recordDeviceActivity } from '../../../server/heartbeats/device-activity.repository.ts';
import { hour, minute } from '../../harness/fake-clock.ts';
import { sharedApp } from '../../harness/start-app.ts';
import { numberedDeviceId, signUp } from '../../harness/users.ts';

const server = sharedApp();

it('those of the device are read for a day, those of the account’s other devices for as long as they are counted', async () => {
  const [user, other] = [await signUp(server), await signUp(server)];
  const nowMs = server.clock.now();
  const [device, recent, earlier] = [numberedDeviceId(1), numberedDeviceId(2), numberedDeviceId(3)];
  const record = (userId: string, device_id: string, agoMs: number) =>
    server.database.write((transaction) =>
      recordDeviceActivity(transaction, [{ user_id: userId, device_id, network: '203.0.113.0/24' }], nowMs - agoMs),
    );
  await record(user.id, device, 2 * hour);
  await record(other.id, device, 23 * hour);
  await record(user.id, recent, minute);
  await record(user.id, earlier, hour);
  await record(other.id, recent, minute);

  const rows = await listDeviceActivity(server.database.read, {
    device: { id: device, sinceMs: nowMs - 24 * hour },
    user: { id: user.id, sinceMs: nowMs - 15 * minute },
  });
  expect(rows.map((row) => [row.userId, row.deviceId]).sort()).toEqual(
    [
      [user.id, device],
      [other.id, device],
      [user.id, recent],
    ].sort(),
  );
});

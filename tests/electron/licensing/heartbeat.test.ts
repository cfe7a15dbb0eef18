/** What a heartbeat says of this start of the app, by which the server notices copies of a machine or profile. */
import { describe, expect, it } from 'vitest';
import { createFakePlatform } from '../fake-platform.ts';
import { startActivated, type TestClient } from './start-client.ts';

const sent = ({ platform }: Pick<TestClient, 'platform'>) =>
  platform.http.to('/heartbeat').map(({ body }) => JSON.parse(body ?? ''));
const lastInstance = (test: TestClient): string => sent(test).at(-1)?.instance;

describe('the instance in a heartbeat', () => {
  it('stays the same as long as the app runs, and is not the device id', async () => {
    const test = await startActivated();
    await test.sync();
    await test.sync();
    const instances = new Set(sent(test).map(({ instance }) => instance));
    expect(instances.size).toBe(1);
    expect(lastInstance(test)).toMatch(/^[\w-]{36}$/);
    expect(lastInstance(test)).not.toContain(test.client.getState().thisDevice?.deviceId);
  });

  it('is another one after each start, so that a copy of the profile has its own, and none comes back', async () => {
    const test = await startActivated();
    await test.sync();
    const first = lastInstance(test);
    let uuids = 0;
    const random = { ...createFakePlatform().random, uuid: () => `second-start-${++uuids}` };
    const again = await test.restart((platform) => void Object.assign(platform, { random }));
    await again.sync();
    expect(lastInstance(again)).toMatch(/^second-start-/);
    const stored = JSON.stringify([again.platform.plain.writes, again.platform.secrets.writes]);
    for (const instance of [first, lastInstance(again)]) expect(stored).not.toContain(instance);
  });

  it('is another one for the next session, so that copies of a running machine differ once one has to sign in again', async () => {
    const test = await startActivated();
    await test.sync();
    const first = lastInstance(test);
    await test.client.signOut({ allDevices: false });
    await test.client.signIn({ email: 'ada@lab.org', password: 'correct horse battery' });
    await test.sync();
    expect(lastInstance(test)).not.toBe(first);
  });
});

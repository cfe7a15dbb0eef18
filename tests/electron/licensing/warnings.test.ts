/** Which warnings are shown: new ones and worse ones, but none that has ended. */
import { describe, expect, it } from 'vitest';
import { dismissWarning, noWarnings, updateWarnings } from '../../../electron/licensing/warnings.ts';
import { startActivated } from './start-client.ts';

const many = (count: number) => `More devices than the plan allows were seen: ${count}.`;
const elsewhere = 'The device was seen under another account.';

function afterHeartbeats(...texts: (string | null)[]) {
  let step = { list: noWarnings, added: null } as ReturnType<typeof updateWarnings>;
  texts.forEach((text, index) => {
    step = updateWarnings(step.list, text, `at ${index}`);
  });
  return step;
}

describe('a warning', () => {
  it('is new only the first time', () => {
    expect(afterHeartbeats(elsewhere).added).toMatchObject({ text: elsewhere, since: 'at 0' });
    expect(afterHeartbeats(elsewhere, elsewhere).added).toBeNull();
    expect(afterHeartbeats(elsewhere, elsewhere).list.shown).toMatchObject([{ since: 'at 0' }]);
  });

  it('keeps its id while the cause is the same, and is new again when it gets worse', () => {
    const first = afterHeartbeats(many(4)).list.shown[0];
    expect(afterHeartbeats(many(4), many(3)).added).toBeNull();
    expect(afterHeartbeats(many(4), many(5)).added).toMatchObject({ id: first?.id, text: many(5), since: 'at 1' });
  });

  it('disappears when a heartbeat comes without it', () => {
    expect(afterHeartbeats(elsewhere, null).list).toEqual(noWarnings);
    expect(afterHeartbeats(elsewhere, null, elsewhere).added).not.toBeNull();
  });

  it('gives way to another cause', () => {
    expect(afterHeartbeats(many(4), elsewhere).list.shown).toMatchObject([{ text: elsewhere }]);
  });

  it('that was dismissed comes back only when it gets worse or after it had ended', () => {
    const shown = afterHeartbeats(many(4)).list;
    const dismissed = dismissWarning(shown, shown.shown[0]?.id ?? '');
    expect(dismissed.shown).toEqual([]);
    const same = updateWarnings(dismissed, many(4), 'later');
    expect(same.list.shown).toEqual([]);
    expect(updateWarnings(same.list, many(6), 'later').list.shown).toHaveLength(1);
    expect(updateWarnings(updateWarnings(same.list, null, 'x').list, many(4), 'y').list.shown).toHaveLength(1);
  });

  it('is untouched by the dismissal of another', () => {
    const { list } = afterHeartbeats(elsewhere);
    expect(dismissWarning(list, 'warning-0').shown).toHaveLength(1);
  });
});

describe('a warning of the server', () => {
  it('is shown, noted, can be dismissed, and ends by itself', async () => {
    const { client, server } = await startActivated();
    server.warning = 'The device was seen under another account.';
    await client.syncNow();
    const [warning] = client.getState().warnings;
    expect(warning).toMatchObject({ text: server.warning });
    expect(client.getState().activity.map(({ kind }) => kind)).toContain('heartbeat-warning');
    await client.dismissWarning({ id: warning?.id ?? '' });
    await client.syncNow();
    expect(client.getState().warnings).toEqual([]);
    server.warning = null;
    await client.syncNow();
    server.warning = 'The device was seen under another account.';
    await client.syncNow();
    expect(client.getState().warnings).toHaveLength(1);
  });
});

/** Which warnings are shown: new and worse ones, but none that has ended. */
import { describe, expect, it } from 'vitest';
import { dismissWarning, noWarnings, updateWarnings, type WarningList } from '../../../electron/licensing/warnings.ts';
import { licenseKey } from './scripted-server.ts';
import { startActivated } from './start-client.ts';

const many = (count: number) => `More devices than the plan allows were seen: ${count}.`;
const elsewhere = 'The device was seen under another account.';

const receive = (list: WarningList, text: string | null, at: string, language = 'en') =>
  updateWarnings(list, text === null ? null : { text, at, language });

function afterHeartbeats(...texts: (string | null)[]) {
  let step = { list: noWarnings, added: null } as ReturnType<typeof updateWarnings>;
  texts.forEach((text, index) => {
    step = receive(step.list, text, `at ${index}`);
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

  it('is replaced by one with another cause', () => {
    const { list, added } = afterHeartbeats(many(4), elsewhere);
    expect(added).toEqual({ ...afterHeartbeats(elsewhere).added, since: 'at 1' });
    expect(list.shown).toEqual([added]);
  });

  it('that was dismissed returns only when it gets worse, or after it had ended', () => {
    const shown = afterHeartbeats(many(4)).list;
    const dismissed = dismissWarning(shown, shown.shown[0]?.id ?? '');
    expect(dismissed.shown).toEqual([]);
    const same = receive(dismissed, many(4), 'later');
    expect(same.list.shown).toEqual([]);
    expect(receive(same.list, many(6), 'later').list.shown).toHaveLength(1);
    expect(receive(receive(same.list, null, 'x').list, many(4), 'y').list.shown).toHaveLength(1);
  });

  it.each<[string, string, string, boolean]>([
    ['a number that is the same', 'seen: 4', 'seen: 4', false],
    ['a number that is smaller', 'seen: 4', 'seen: 3', false],
    ['a number that is bigger', 'seen: 4', 'seen: 5', true],
    ['a number with more digits', 'seen: 9', 'seen: 10', true],
    ['a number with fewer digits', 'seen: 10', 'seen: 9', false],
    ['only the second number bigger', '4 of 9', '4 of 10', true],
    ['one number smaller and the other bigger', '4 of 9', '3 of 10', true],
    ['no number', 'seen', 'seen', false],
    ['a number where none was', 'seen: #', 'seen: 4', true],
  ])('with %s is classified as worse or not', (_, first, second, isWorse) => {
    const before = afterHeartbeats(first).list.shown[0];
    const step = afterHeartbeats(first, second);
    const warning = { id: before?.id, text: second, since: isWorse ? 'at 1' : 'at 0', language: 'en' };
    expect(step.added).toEqual(isWorse ? warning : null);
    expect(step.list).toEqual({ shown: [warning], dismissed: [] });
  });

  it.each([
    ['4 devices', 'devices 4'],
    ['seen', 'heard'],
    ['seen: ', 'seen: 4'],
    ['seen: 4', 'seen: 4 or 5'],
  ])('has its own id if more than a number differs: %s, %s', (one, other) => {
    const [first, second] = [one, other].map((text) => afterHeartbeats(text).list.shown[0]?.id);
    expect(first).toMatch(/^warning-[0-9a-f]+$/);
    expect(first).not.toBe(second);
  });

  it('stays dismissed with its latest text and its first time, and nothing is shown', () => {
    const shown = afterHeartbeats(many(4)).list;
    const [first] = shown.shown;
    const dismissed = dismissWarning(shown, first?.id ?? '');
    expect(dismissed).toEqual({ shown: [], dismissed: [first] });
    expect(receive(dismissed, many(3), 'later')).toEqual({
      list: { shown: [], dismissed: [{ ...first, text: many(3) }] },
      added: null,
    });
    expect(receive(dismissed, many(5), 'later').list).toMatchObject({
      shown: [{ text: many(5) }],
      dismissed: [],
    });
    expect(receive(dismissed, elsewhere, 'later').list).toMatchObject({
      shown: [{ text: elsewhere }],
      dismissed: [first],
    });
  });

  it('that was dismissed changes none of the other dismissed ones', () => {
    const other = { id: 'warning-1', text: 'one', since: 'x' };
    const { shown } = afterHeartbeats(many(4)).list;
    const list = { shown: [], dismissed: [other, ...shown] };
    expect(receive(list, many(3), 'later').list.dismissed).toEqual([other, { ...shown[0], text: many(3) }]);
  });

  it('that was dismissed stays so while another one takes turns with it, until a heartbeat has none', () => {
    const { list: shown } = afterHeartbeats(many(4));
    const dismissed = dismissWarning(shown, shown.shown[0]?.id ?? '');
    const other = receive(dismissed, elsewhere, 'later');
    expect(other).toMatchObject({ list: { shown: [{ text: elsewhere }] }, added: { text: elsewhere } });
    const back = receive(other.list, many(4), 'later');
    expect(back).toMatchObject({ list: { shown: [] }, added: null });
    expect(receive(receive(back.list, elsewhere, 'x').list, many(5), 'y').added).toMatchObject({ text: many(5) });
    expect(receive(receive(back.list, null, 'x').list, many(4), 'y').added).toMatchObject({ text: many(4) });
  });

  it('keeps its first time, and stays dismissed, when its language changes', () => {
    const german = 'Auf 4 Geräten verwendet, erlaubt sind 3.';
    const { list } = afterHeartbeats('The plan allows 3 devices, 4 were used.');
    const shown = receive(list, german, 'later', 'de');
    expect(shown).toMatchObject({ list: { shown: [{ text: german, since: 'at 0' }] }, added: null });
    expect(receive(shown.list, german, 'later still', 'de').added).toBeNull();
    const dismissed = receive(dismissWarning(list, list.shown[0]?.id ?? ''), german, 'later', 'de');
    expect(dismissed.list.shown).toEqual([]);
    expect(receive(dismissed.list, german, 'later still', 'de').list.shown).toEqual([]);
    const worse = german.replace('4', '5');
    expect(receive(dismissed.list, worse, 'later', 'de').added).toMatchObject({ text: worse });
    expect(receive(list, german, 'later').added).toMatchObject({ text: german });
  });

  it.each(['Auf 5 Geräten verwendet, erlaubt sind 3.', 'Auf 4 Geräten verwendet.', 'Anderswo verwendet.'])(
    'is another one if its numbers change with its language: %s',
    (german) => {
      const { list } = afterHeartbeats('The plan allows 3 devices, 4 were used.');
      expect(receive(list, german, 'later', 'de').added).toMatchObject({ text: german, since: 'later' });
    },
  );

  it('without a number is the same one in another language without a number', () => {
    const { list } = afterHeartbeats(elsewhere);
    expect(receive(list, 'Anderswo verwendet.', 'later', 'de').added).toBeNull();
  });

  it('that is dismissed drops the oldest of 20', () => {
    let list = noWarnings;
    for (let count = 0; count < 22; count++) {
      ({ list } = receive(list, 'reworded'.padEnd(9 + count, '!'), 'x'));
      list = dismissWarning(list, list.shown[0]?.id ?? '');
    }
    expect(list.dismissed.map(({ text }) => text.length)).toEqual(Array.from({ length: 20 }, (_, index) => 11 + index));
  });

  it('that is dismissed is added to the earlier dismissed ones', () => {
    const one = { id: 'warning-1', text: 'one', since: 'x' };
    const two = { id: 'warning-2', text: 'two', since: 'x' };
    const list = { shown: [two], dismissed: [one] };
    expect(dismissWarning(list, 'warning-2')).toEqual({ shown: [], dismissed: [one, two] });
    // The one that came back is found among the dismissed ones.
    expect(dismissWarning(list, 'warning-1')).toEqual(list);
  });

  it('is not affected by the dismissal of another', () => {
    const { list } = afterHeartbeats(elsewhere);
    expect(dismissWarning(list, 'warning-0').shown).toHaveLength(1);
  });
});

describe('a server warning', () => {
  it('is shown, recorded, can be dismissed, and ends by itself', async () => {
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

  it('that was dismissed stays so when the user changes the language', async () => {
    const { client, server } = await startActivated();
    server.warning = elsewhere;
    await client.syncNow();
    await client.dismissWarning({ id: client.getState().warnings[0]?.id ?? '' });
    await client.changeSettings({ language: 'de' });
    server.warning = 'Das Gerät wurde mit einem anderen Konto verwendet.';
    await client.syncNow();
    expect(client.getState().warnings).toEqual([]);
    server.warning = many(4);
    await client.syncNow();
    expect(client.getState().warnings).toMatchObject([{ text: many(4) }]);
  });

  it('that was dismissed stays so when the language changes between two starts, or while another warning is shown', async () => {
    const first = await startActivated();
    const german = 'Das Gerät wurde mit einem anderen Konto verwendet.';
    first.server.warning = elsewhere;
    await first.client.syncNow();
    await first.client.dismissWarning({ id: first.client.getState().warnings[0]?.id ?? '' });
    await first.client.changeSettings({ language: 'de' });
    const { client, server } = await first.restart();
    server.warning = many(4);
    await client.syncNow();
    expect(client.getState().warnings).toMatchObject([{ text: many(4) }]);
    server.warning = german;
    await client.syncNow();
    expect(client.getState().warnings).toEqual([]);
  });

  it('that was dismissed stays so after a restart and a new sign-in, until it gets worse, or until this device is activated again', async () => {
    const first = await startActivated();
    first.server.warning = many(4);
    await first.client.syncNow();
    await first.client.dismissWarning({ id: first.client.getState().warnings[0]?.id ?? '' });
    const { client, server } = await first.restart();
    await client.syncNow();
    expect(client.getState().warnings).toEqual([]);
    await client.signOut({ allDevices: false });
    await client.signIn({ email: 'ada@lab.org', password: 'right' });
    await client.syncNow();
    expect(client.getState().warnings).toEqual([]);
    server.warning = many(5);
    await client.syncNow();
    expect(client.getState().warnings).toMatchObject([{ text: many(5) }]);
    await client.dismissWarning({ id: client.getState().warnings[0]?.id ?? '' });
    await client.activateLicense({ licenseKey });
    await client.syncNow();
    expect(client.getState().warnings).toMatchObject([{ text: many(5) }]);
  });
});

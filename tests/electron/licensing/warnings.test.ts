/** Which warnings are shown: new ones, worse ones, and none that has ended. */
import { describe, expect, it } from 'vitest';
import { dismissWarning, noWarnings, takeHeartbeat } from '../../../electron/licensing/warnings.ts';

const many = (count: number) => `More devices than the plan allows were seen: ${count}.`;
const elsewhere = 'The device was seen under another account.';

function heard(...texts: (string | null)[]) {
  let step = { list: noWarnings, news: null } as ReturnType<typeof takeHeartbeat>;
  texts.forEach((text, index) => {
    step = takeHeartbeat(step.list, text, `at ${index}`);
  });
  return step;
}

describe('a warning', () => {
  it('is news the first time and only then', () => {
    expect(heard(elsewhere).news).toMatchObject({ text: elsewhere, since: 'at 0' });
    expect(heard(elsewhere, elsewhere).news).toBeNull();
    expect(heard(elsewhere, elsewhere).list.shown).toMatchObject([{ since: 'at 0' }]);
  });

  it('has one id while its cause is the same, and is news again when it gets worse', () => {
    const first = heard(many(4)).list.shown[0];
    expect(heard(many(4), many(3)).news).toBeNull();
    expect(heard(many(4), many(5)).news).toMatchObject({ id: first?.id, text: many(5), since: 'at 1' });
  });

  it('disappears when a heartbeat comes without it', () => {
    expect(heard(elsewhere, null).list).toEqual(noWarnings);
    expect(heard(elsewhere, null, elsewhere).news).not.toBeNull();
  });

  it('gives way to another cause', () => {
    expect(heard(many(4), elsewhere).list.shown).toMatchObject([{ text: elsewhere }]);
  });

  it('that was dismissed comes back only when it gets worse or after it had ended', () => {
    const shown = heard(many(4)).list;
    const dismissed = dismissWarning(shown, shown.shown[0]?.id ?? '');
    expect(dismissed.shown).toEqual([]);
    const same = takeHeartbeat(dismissed, many(4), 'later');
    expect(same.list.shown).toEqual([]);
    expect(takeHeartbeat(same.list, many(6), 'later').list.shown).toHaveLength(1);
    expect(takeHeartbeat(takeHeartbeat(same.list, null, 'x').list, many(4), 'y').list.shown).toHaveLength(1);
  });

  it('is untouched by the dismissal of another', () => {
    const { list } = heard(elsewhere);
    expect(dismissWarning(list, 'warning-0').shown).toHaveLength(1);
  });
});

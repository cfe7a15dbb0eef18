/** The entries of the timeline in words. */
import { expect, test } from 'vitest';
import { de } from '../../../renderer/i18n/locales/de.ts';
import { timelineMessage } from '../../../renderer/i18n/timeline-message.ts';
import { createTranslate } from '../../../renderer/i18n/translate.ts';

const t = createTranslate('de', de);
const times = { at: '2027-02-10T13:00:00Z', monotonic_ms: 0 };

test('what came of a call or a command is said in the language of the window, not as a code', () => {
  const refused = { ...times, kind: 'answer', endpoint: 'heartbeat', outcome: 'inconclusive' } as const;
  const answer = { ...refused, code: 'SERVER_UNREACHABLE', server_time: null, times: 3, last_at: times.at };
  expect(timelineMessage(answer, t)).toBe(`heartbeat (×3): ${de.failure.SERVER_UNREACHABLE.what}`);
  const command = { ...times, kind: 'command', command: 'signIn' } as const;
  expect(timelineMessage({ ...command, outcome: 'done' }, t)).toBe('signIn: erledigt');
  expect(timelineMessage({ ...command, outcome: 'INVALID_CREDENTIALS' }, t)).toBe(
    `signIn: ${de.failure.INVALID_CREDENTIALS.what}`,
  );
  expect(timelineMessage({ ...command, outcome: 'SOMETHING_NEW' }, t)).toBe('signIn: SOMETHING_NEW');
});

/** A notification is printed on one line, and no character of it can control the terminal. */
import { afterEach, expect, it, vi } from 'vitest';
import { Notification } from '../../../../electron/host/shim/user-interaction.ts';

afterEach(() => vi.restoreAllMocks());

it('escapes terminal control characters in a text of the server', () => {
  const print = vi.spyOn(console, 'log').mockReturnValue();
  new Notification({ title: 'Latchkey', body: 'Renew.\n\u001b[2JAll is well\u009b' }).show();
  expect(print.mock.calls).toEqual([['Notification: Latchkey: Renew.\\u000a\\u001b[2JAll is well\\u009b']]);
});

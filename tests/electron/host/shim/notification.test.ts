/** A notification is printed in one line, and the terminal acts on none of its characters. */
import { afterEach, expect, it, vi } from 'vitest';
import { Notification } from '../../../../electron/host/shim/user-interaction.ts';

afterEach(() => vi.restoreAllMocks());

it('prints a text of the server with what a terminal would act on escaped', () => {
  const print = vi.spyOn(console, 'log').mockReturnValue();
  new Notification({ title: 'Latchkey', body: 'Renew.\n\u001b[2JAll is well\u009b' }).show();
  expect(print.mock.calls).toEqual([['Notification: Latchkey: Renew.\\u000a\\u001b[2JAll is well\\u009b']]);
});

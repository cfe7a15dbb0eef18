/** What becomes of a command that another process sends. */
import { expect, it, onTestFinished } from 'vitest';
import { runClientCommand } from '../../../electron/cli/client-commands.ts';
import { startTestClient } from '../licensing/start-client.ts';

it('an error that no command expects is in the log, which the answer names', async () => {
  const { client, platform } = await startTestClient();
  onTestFinished(() => client.stop());
  const result = await runClientCommand(
    'open',
    { target: 'latchkey://open/settings' },
    {
      client,
      log: platform.log,
      profile: '/profile',
      hasWindow: true,
      scheme: 'latchkey',
      openRequests: { open: () => Promise.reject(new Error('the window is gone')) },
      signal: new AbortController().signal,
      server: undefined,
    },
  );
  expect(result).toMatchObject({ exit: 1, failure: { code: 'INTERNAL' } });
  expect(platform.logged.filter((line) => line.startsWith('a command failed'))).toEqual([
    expect.stringContaining('"command":"open"'),
  ]);
});

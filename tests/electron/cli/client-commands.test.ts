/** What happens to a command that another process sends. */
import { expect, it, onTestFinished } from 'vitest';
import { runClientCommand } from '../../../electron/cli/client-commands.ts';
import { notRun } from '../../../electron/cli/command-result.ts';
import { formatResult } from '../../../electron/cli/result-text.ts';
import { ipcSchema } from '../../../shared/ipc/ipc-schema.ts';
import { fail } from '../../../shared/ipc/result.ts';
import { settle } from '../fake-platform.ts';
import { errorReply } from '../licensing/scripted-server.ts';
import { startActivated, startTestClient } from '../licensing/start-client.ts';

it('a sign-in whose session cannot be stored fails, unless there is a window', async () => {
  const { client, platform } = await startTestClient();
  onTestFinished(() => client.stop());
  platform.secrets.setFailing(true);
  const signIn = async (hasWindow: boolean) => {
    const context = {
      client,
      log: platform.log,
      profile: '/profile',
      hasWindow,
      scheme: 'latchkey',
      openRequests: null,
    };
    const { signal } = new AbortController();
    const input = { email: 'ada@lab.org', password: 'right' };
    const running = runClientCommand('sign-in', input, { ...context, signal, server: undefined });
    await platform.clock.advance(1000);
    return running;
  };
  expect(await signIn(false)).toMatchObject({ exit: 1, failure: { code: 'STORE_UNAVAILABLE' } });
  expect(await signIn(true)).toMatchObject({ exit: 0, value: { account: { email: 'ada@lab.org' } } });
});

it('the text of the status names the profile: a mistyped one is empty, rather than refused', async () => {
  const { client, platform } = await startTestClient();
  onTestFinished(() => client.stop());
  const { signal } = new AbortController();
  const context = { client, signal, server: undefined, profile: '/tmp/typo', hasWindow: false, scheme: 'latchkey' };
  const result = await runClientCommand(
    'status',
    { check: false },
    { ...context, openRequests: null, log: platform.log },
  );
  expect(formatResult('status', 'value' in result ? result.value : null)).toMatch(/^profile +\/tmp\/typo$/m);
});

it('an update that the user cancels in the window is reported as canceled, not as unavailable', async () => {
  const { client, platform } = await startTestClient();
  onTestFinished(() => client.stop());
  const failure = { code: 'CANCELED' as const, message: 'The update was canceled.', at: '2026-03-03T09:00:00.000Z' };
  const { updates, ...state } = client.getState();
  const available = { ...state, updates: { ...updates, available: '2.0.0' } };
  Object.assign(client, { installUpdate: async () => fail(failure), getState: () => available });
  const { signal } = new AbortController();
  const context = { client, signal, server: undefined, profile: '/', hasWindow: true, scheme: 'latchkey' };
  const result = await runClientCommand('updates install', {}, { ...context, openRequests: null, log: platform.log });
  expect(result).toEqual({ exit: 130, failure: { error: 'The update was canceled.', code: 'CANCELED' } });
});

it.each(['updates check', 'updates install'] as const)(
  '%s is inconclusive while the server cannot be reached, also with a version that the window knows',
  async (command) => {
    const { client, platform } = await startTestClient();
    onTestFinished(() => client.stop());
    const failure = { code: 'SERVER_UNREACHABLE' as const, message: 'No answer.', at: '2026-03-03T09:00:00.000Z' };
    const { updates, ...state } = client.getState();
    const known = { ...state, updates: { ...updates, available: '2.0.0', failure } };
    const unreachable = async () => fail(failure);
    Object.assign(client, { checkForUpdates: unreachable, installUpdate: unreachable, getState: () => known });
    const { signal } = new AbortController();
    const context = { client, signal, server: undefined, profile: '/', hasWindow: true, scheme: 'latchkey' };
    const result = await runClientCommand(command, {}, { ...context, openRequests: null, log: platform.log });
    expect(result).toMatchObject({ exit: 4, value: { available: '2.0.0', staged: null, reason: 'unreachable' } });
  },
);

it('an unexpected error of a command is logged, and the answer refers to the log', async () => {
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

it.each([
  'CANCELED',
  'SERVER_ADDRESS_INVALID',
  'STORE_UNAVAILABLE',
  'NOT_SIGNED_IN',
  'SECRET_STORE_LOCKED',
  'NO_WINDOW',
])('a server error with the code %s is reported as such, not as the client’s own failure', async (code) => {
  const { client, platform } = await startActivated();
  onTestFinished(() => client.stop());
  platform.http.on('GET /license/activations', errorReply(403, code));
  const { signal } = new AbortController();
  const context = { client, log: platform.log, profile: '/profile', hasWindow: true, scheme: 'latchkey' };
  const result = await runClientCommand('devices', {}, { ...context, openRequests: null, signal, server: undefined });
  expect(result).toMatchObject({ exit: 3, failure: { error: `The server says ${code}.` } });
});

it('a device can be released even if its id is longer than our server’s ids', async () => {
  const { client, platform } = await startActivated();
  onTestFinished(() => client.stop());
  const { signal } = new AbortController();
  const activation_id = 'x'.repeat(1000);
  const context = { client, log: platform.log, profile: '/profile', hasWindow: true, scheme: 'latchkey' };
  const result = await runClientCommand(
    'devices release',
    { activation_id },
    { ...context, openRequests: null, signal, server: undefined },
  );
  expect(result).toEqual({ exit: 0, value: { success: true } });
  expect(platform.http.to(`/license/activations/${activation_id}`)).toHaveLength(1);
  expect(ipcSchema.releaseDevice.input.safeParse({ activationId: activation_id }).success).toBe(true);
});

/** Starts a client that can connect only once the test allows it. */
async function startWithSlowNetwork() {
  const testClient = await startTestClient();
  onTestFinished(() => testClient.client.stop());
  const connected = Promise.withResolvers<{ kind: 'connected'; address: null }>();
  Object.assign(testClient.platform.network, { connect: () => connected.promise });
  const { client, platform } = testClient;
  const caller = new AbortController();
  const context = { client, log: platform.log, profile: '/profile', hasWindow: true, scheme: 'latchkey' };
  const runDoctor = () =>
    runClientCommand('doctor', {}, { ...context, openRequests: null, signal: caller.signal, server: undefined });
  return { client, caller, runDoctor, connect: () => connected.resolve({ kind: 'connected', address: null }) };
}

it('a check started in the window continues if a command that also waits for it is interrupted', async () => {
  const { client, caller, runDoctor, connect } = await startWithSlowNetwork();
  const inWindow = client.runDoctor();
  await settle();
  const command = runDoctor();
  await settle();
  caller.abort();
  expect(await command).toEqual(notRun);
  connect();
  expect(await inWindow).toMatchObject({ ok: true });
});

it('a check started by a command is canceled when the command is interrupted', async () => {
  const { client, caller, runDoctor } = await startWithSlowNetwork();
  const command = runDoctor();
  await settle();
  expect(client.getState().doctor?.running).toBe('tcp');
  caller.abort();
  expect(await command).toEqual(notRun);
  await settle();
  expect(client.getState().doctor).toBeNull();
});

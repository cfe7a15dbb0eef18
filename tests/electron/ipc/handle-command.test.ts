/** A command is answered with a value or a refusal, whatever it is called with; never with a stack. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { handleCommand } from '../../../electron/ipc/handle-command.ts';
import { type CommandName, commandNames } from '../../../shared/ipc/channels.ts';
import { ipcSchema } from '../../../shared/ipc/ipc-schema.ts';
import type { CommandHandlers } from '../../../shared/ipc/ipc-types.ts';
import { succeed } from '../../../shared/ipc/result.ts';

const at = '2026-01-02T00:00:00.000Z';
const event = {} as Electron.IpcMainInvokeEvent;

function answer<V extends CommandName>(command: V, handler: unknown, allowed = true) {
  const log = { info: vi.fn(), warn: vi.fn() };
  const listener = handleCommand(command, handler as CommandHandlers[V], {
    isAllowed: () => allowed,
    now: () => Date.parse(at),
    log,
  });
  return { listener, log };
}

describe('a command', () => {
  it('hands what was parsed to its handler, and the answer back', async () => {
    const handler = vi.fn(async () => succeed(null));
    const { listener } = answer('signIn', handler);
    const input = { email: 'a@example.org', password: 'p', more: 1 };
    expect(await listener(event, input)).toEqual({ ok: true, value: null });
    expect(handler).toHaveBeenCalledWith({ email: 'a@example.org', password: 'p' });
  });

  it('is refused to a page that is not ours, and its handler never runs', async () => {
    const handler = vi.fn();
    const { listener } = answer('getState', handler, false);
    expect(await listener(event, undefined)).toMatchObject({ ok: false, failure: { code: 'INTERNAL', at } });
    expect(handler).not.toHaveBeenCalled();
  });

  it.each([
    ['signIn', undefined],
    ['signIn', { email: 'a' }],
    ['signIn', { email: 1, password: 'p' }],
    ['signIn', { email: 'a'.repeat(401), password: 'p' }],
    ['getState', {}],
    ['openLink', { name: 'https://evil.example' }],
    ['openLink', { name: 'javascript:alert(1)' }],
    ['changeSettings', { heartbeatIntervalSeconds: 1 }],
    ['verifyInstaller', { path: 'x'.repeat(5000) }],
    ['generateApiKey', { replace: 'yes' }],
  ] as const)('%s refuses %j', async (command, input) => {
    const handler = vi.fn();
    const { listener } = answer(command, handler);
    expect(await listener(event, input)).toMatchObject({ ok: false, failure: { code: 'VALIDATION_ERROR', at } });
    expect(handler).not.toHaveBeenCalled();
  });

  it('refuses a second argument', async () => {
    const { listener } = answer('releaseDevice', vi.fn());
    expect(await listener(event, { activationId: 'a' }, 'b')).toMatchObject({ ok: false });
  });

  it('turns a failure of its handler into a refusal without the cause', async () => {
    const { listener, log } = answer('checkNow', () => Promise.reject(new Error('at /secret/path')));
    const refusal = await listener(event, undefined);
    expect(refusal).toEqual({ ok: false, failure: { code: 'INTERNAL', message: 'Something went wrong.', at } });
    expect(log.warn).toHaveBeenCalledOnce();
  });

  it('never rejects, whatever it is called with', async () => {
    const input = fc.anything({ withBigInt: true, withMap: true, withDate: true, withTypedArray: true });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...commandNames), input, async (command, given) => {
        const handler = vi.fn(() => succeed(null));
        await answer(command, handler).listener(event, given);
        expect(handler).toHaveBeenCalledTimes(ipcSchema[command].input.safeParse(given).success ? 1 : 0);
      }),
    );
  });
});

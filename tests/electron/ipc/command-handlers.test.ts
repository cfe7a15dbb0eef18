/** Each command of the window reaches the act of its own name. */
import { describe, expect, it } from 'vitest';
import { commandHandlers, type DesktopCommands } from '../../../electron/ipc/command-handlers.ts';
import type { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import { commandNames } from '../../../shared/ipc/channels.ts';

/** Answers every call with the name that was called and with what. */
function echo(): object {
  return new Proxy({}, { get: (_target, name) => (input: unknown) => [name, input] });
}

describe('the commands', () => {
  it.each(commandNames)('%s', (command) => {
    const handlers = commandHandlers(echo() as LicensingClient, echo() as DesktopCommands);
    const handler = handlers[command] as unknown as (input: unknown) => unknown;
    const input = { sample: 1 };
    expect(handler(input)).toEqual(
      expect.arrayContaining([command, handler.length === 0 && !String(handler).includes('input') ? undefined : input]),
    );
  });
});

/** Each verb of the window reaches the act of its own name. */
import { describe, expect, it } from 'vitest';
import { type DesktopVerbs, verbHandlers } from '../../../electron/ipc/verb-handlers.ts';
import type { LicensingClient } from '../../../electron/licensing/licensing-client.ts';
import { verbNames } from '../../../shared/ipc/channels.ts';

/** Answers every call with the name that was called and with what. */
function echo(): object {
  return new Proxy({}, { get: (_target, name) => (input: unknown) => [name, input] });
}

describe('the verbs', () => {
  it.each(verbNames)('%s', (verb) => {
    const handlers = verbHandlers(echo() as LicensingClient, echo() as DesktopVerbs);
    const handler = handlers[verb] as unknown as (input: unknown) => unknown;
    const input = { sample: 1 };
    expect(handler(input)).toEqual(
      expect.arrayContaining([verb, handler.length === 0 && !String(handler).includes('input') ? undefined : input]),
    );
  });
});

/** A copied key leaves the clipboard after a minute, and somebody else's text stays there. */
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../electron/licensing/platform.ts';

const clipboard = vi.hoisted(() => ({ text: '', readText: vi.fn(), writeText: vi.fn() }));
vi.mock('electron', () => ({ clipboard }));
const { createCopyApiKey } = await import('../../electron/copy-api-key.ts');

function fakeClock() {
  let timers: { readonly delayMs: number; readonly callback: () => void }[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    setTimer: (delayMs, callback) => {
      const timer = { delayMs, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
  };
  return { clock, timers: () => timers };
}

beforeEach(() => {
  clipboard.text = '';
  clipboard.readText.mockImplementation(async () => clipboard.text);
  clipboard.writeText.mockImplementation(async (text: string) => {
    clipboard.text = text;
  });
});

async function passMinute(timers: readonly { readonly callback: () => void }[]): Promise<void> {
  for (const { callback } of timers) callback();
  await new Promise(setImmediate);
}

describe('copying the API key', () => {
  it('puts it on the clipboard and takes it away after a minute', async () => {
    const { clock, timers } = fakeClock();
    expect(await createCopyApiKey(() => 'svc_live_x', clock)()).toEqual({ ok: true, value: null });
    expect(clipboard.text).toBe('svc_live_x');
    expect(timers().map(({ delayMs }) => delayMs)).toEqual([60_000]);
    await passMinute(timers());
    expect(clipboard.text).toBe('');
  });

  it('leaves what was copied since', async () => {
    const { clock, timers } = fakeClock();
    await createCopyApiKey(() => 'svc_live_x', clock)();
    clipboard.text = 'something else';
    await passMinute(timers());
    expect(clipboard.text).toBe('something else');
  });

  it('counts the minute from the last copy', async () => {
    const { clock, timers } = fakeClock();
    const copy = createCopyApiKey(() => 'svc_live_x', clock);
    await copy();
    await copy();
    expect(timers()).toHaveLength(1);
  });

  it('refuses when there is no new key', async () => {
    const { clock, timers } = fakeClock();
    expect(await createCopyApiKey(() => null, clock)()).toMatchObject({ ok: false });
    expect(timers()).toEqual([]);
  });
});

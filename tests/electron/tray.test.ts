/** A system may have no tray; the app goes on without. */
import type { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';

const electron = vi.hoisted(() => ({
  hasTray: true,
  made: [] as EventEmitter[],
  fromBuffer: vi.fn(() => ({ setTemplateImage: vi.fn() })),
  fromDataUrl: vi.fn(() => ({})),
}));
vi.mock('electron', async () => {
  const { EventEmitter: Emitter } = await import('node:events');
  class Tray extends Emitter {
    constructor() {
      super();
      if (!electron.hasTray) throw new Error('no tray');
      electron.made.push(this);
    }
  }
  const nativeImage = { createFromBuffer: electron.fromBuffer, createFromDataURL: electron.fromDataUrl };
  return { Tray, nativeImage, app: {}, Menu: {} };
});
const { AppTray } = await import('../../electron/tray.ts');

it('is none where the system has none', () => {
  electron.hasTray = false;
  expect(AppTray.create()).toBeNull();
  electron.hasTray = true;
});

it('opens the window at a click', () => {
  const open = vi.fn();
  AppTray.create()?.onOpen(open);
  electron.made.at(-1)?.emit('click');
  expect(open).toHaveBeenCalledOnce();
});

it('has a template image on macOS, which the system colors', () => {
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  AppTray.create();
  expect(electron.fromBuffer.mock.results.at(-1)?.value.setTemplateImage).toHaveBeenCalledWith(true);
  platform.mockRestore();
});

/** A system may have no tray; the app works without it. */
import type { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';
import { en } from '../../electron/i18n/en.ts';
import type { LeaseInfo } from '../../shared/ipc/app-state.ts';
import { waitingState } from '../renderer/sample-states.ts';

const electron = vi.hoisted(() => ({
  hasTray: true,
  made: [] as EventEmitter[],
  setToolTip: vi.fn(),
  fromBuffer: vi.fn(() => ({ setTemplateImage: vi.fn() })),
  fromDataUrl: vi.fn(() => ({})),
}));
vi.mock('electron', async () => {
  const { EventEmitter: Emitter } = await import('node:events');
  class Tray extends Emitter {
    readonly setToolTip = electron.setToolTip;
    readonly setImage = vi.fn();
    readonly setContextMenu = vi.fn();
    constructor() {
      super();
      if (!electron.hasTray) throw new Error('no tray');
      electron.made.push(this);
    }
  }
  const nativeImage = { createFromBuffer: electron.fromBuffer, createFromDataURL: electron.fromDataUrl };
  return { Tray, nativeImage, app: {}, Menu: { buildFromTemplate: vi.fn() } };
});
const { AppTray } = await import('../../electron/tray.ts');

it('there is no tray if the system has none', () => {
  electron.hasTray = false;
  expect(AppTray.create()).toBeNull();
  electron.hasTray = true;
});

it('the tray opens the window on a click', () => {
  const open = vi.fn();
  AppTray.create()?.onOpen(open);
  electron.made.at(-1)?.emit('click');
  expect(open).toHaveBeenCalledOnce();
});

it('the tray has template images on macOS, which the system colors', () => {
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  AppTray.create();
  const images = electron.fromBuffer.mock.results.map(({ value }) => value);
  expect(images).toHaveLength(2);
  for (const image of images) expect(image.setTemplateImage).toHaveBeenCalledWith(true);
  platform.mockRestore();
});

it('the tray does not say that it waits for the server if the lease is refused', () => {
  const tray = AppTray.create();
  const waiting = waitingState(Date.now());
  const actions = { checkNow: vi.fn(), openSettings: vi.fn() };
  const tips: [LeaseInfo['problem'], string][] = [
    [null, 'Waiting for the server'],
    ['wrong_signature', 'License not accepted'],
  ];
  for (const [problem, tip] of tips) {
    tray?.show(
      { ...waiting, lease: { ...waiting.lease, state: 'unusable', problem } },
      { messages: en, locale: 'en', actions, openPlace: vi.fn(), now: Date.now() },
    );
    expect(electron.setToolTip).toHaveBeenLastCalledWith(`Latchkey: ${tip}`);
  }
});

/** The page of the main window receives the state for as long as the window exists. */
import { expect, it, vi } from 'vitest';
import { sampleState } from '../sample-state.ts';

const electron = vi.hoisted(() => {
  class BrowserWindow {
    destroyed = false;
    readonly webContents = { send: vi.fn() };
    isDestroyed = () => this.destroyed;
    on() {}
    once() {}
    async loadURL() {}
  }
  return { BrowserWindow, nativeTheme: { on() {}, shouldUseDarkColors: false } };
});
vi.mock('electron', () => ({ ...electron, net: {}, protocol: { registerSchemesAsPrivileged() {} } }));
const { MainWindow } = await import('../../../electron/windows/main-window.ts');

function createWindow() {
  return new MainWindow({
    preload: '/preload.cjs',
    placement: { bounds: { x: 0, y: 0, width: 1040, height: 720 }, maximized: false },
    packaged: true,
    startHidden: false,
    hidesOnClose: () => false,
    onForeground: () => {},
    onPlacement: () => {},
  });
}

it('sends each state to its page until the window is gone', () => {
  const window = createWindow();
  const { webContents } = window.browserWindow;
  const states = [sampleState(), sampleState({ warnings: ['a'] })];
  states.forEach(window.showState);
  Object.assign(window.browserWindow, { destroyed: true });
  window.showState(sampleState());
  expect(vi.mocked(webContents.send).mock.calls).toEqual(states.map((state) => ['latchkey:state', state]));
});

/** When the window may close, although closing it usually hides it. */
import { EventEmitter } from 'node:events';
import { expect, it, vi } from 'vitest';

const electron = vi.hoisted(() => ({
  app: null as unknown as EventEmitter,
  autoUpdater: null as unknown as EventEmitter,
}));
vi.mock('electron', () => ({
  get app() {
    return electron.app;
  },
  get autoUpdater() {
    return electron.autoUpdater;
  },
}));
const { followQuitting } = await import('../../electron/is-quitting.ts');

it.each([
  ['app', 'before-quit'],
  // Comes first on macOS, where an update closes all windows before the app quits.
  ['autoUpdater', 'before-quit-for-update'],
] as const)('the app is quitting once %s has emitted %s', (name, event) => {
  Object.assign(electron, { app: new EventEmitter(), autoUpdater: new EventEmitter() });
  const isQuitting = followQuitting();
  expect(isQuitting()).toBe(false);
  electron[name].emit(event);
  expect(isQuitting()).toBe(true);
});

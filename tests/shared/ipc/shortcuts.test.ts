/** The keyboard shortcuts: each is unique, works on every layout, and is the same in the menu as in the window. */
import { expect, test } from 'vitest';
import { acceleratorOf, isPressed, placeShortcuts, shortcuts } from '../../../shared/ipc/shortcuts.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

test('no two actions have the same keys', () => {
  const all = [...placeShortcuts.map(([, shortcut]) => shortcut), ...Object.values(shortcuts).flat()];
  const keys = all.map(({ key, mod }) => `${mod} ${key}`);
  expect(new Set(keys).size).toBe(keys.length);
});

test('a letter matches with Ctrl or Cmd, in either case, and with no other modifier', () => {
  const [palette] = shortcuts.palette;
  expect(isPressed(palette, { ...none, key: 'k', ctrlKey: true })).toBe(true);
  expect(isPressed(palette, { ...none, key: 'K', metaKey: true })).toBe(true);
  expect(isPressed(palette, { ...none, key: 'k' })).toBe(false);
  expect(isPressed(palette, { ...none, key: 'k', ctrlKey: true, shiftKey: true })).toBe(false);
  expect(isPressed(palette, { ...none, key: 'k', ctrlKey: true, altKey: true })).toBe(false);
});

test('a symbol matches with Shift, which some layouts require for it, and a question mark matches without Ctrl', () => {
  const [slash, question] = shortcuts.shortcuts;
  expect(isPressed(slash, { ...none, key: '/', ctrlKey: true, shiftKey: true })).toBe(true);
  if (question === undefined) throw new Error('there is no question mark');
  expect(isPressed(question, { ...none, key: '?', shiftKey: true })).toBe(true);
  expect(isPressed(question, { ...none, key: '?', shiftKey: true, ctrlKey: true })).toBe(false);
});

test('the menu has the same keys as the window', () => {
  expect([acceleratorOf('palette'), acceleratorOf('settings'), acceleratorOf('shortcuts')]).toEqual([
    'CmdOrCtrl+K',
    'CmdOrCtrl+,',
    'CmdOrCtrl+/',
  ]);
});

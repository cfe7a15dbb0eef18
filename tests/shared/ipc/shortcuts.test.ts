/** The keyboard shortcuts: each keys once, on every layout, and the same in the menu as in the window. */
import { expect, test } from 'vitest';
import { acceleratorOf, isPressed, placeShortcuts, shortcuts } from '../../../shared/ipc/shortcuts.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

test('no two things are done by the same keys', () => {
  const all = [...placeShortcuts.map(([, shortcut]) => shortcut), ...Object.values(shortcuts).flat()];
  const keys = all.map(({ key, mod }) => `${mod} ${key}`);
  expect(new Set(keys).size).toBe(keys.length);
});

test('a letter counts with Ctrl and with Cmd, in either case, and with no key besides', () => {
  const [palette] = shortcuts.palette;
  expect(isPressed(palette, { ...none, key: 'k', ctrlKey: true })).toBe(true);
  expect(isPressed(palette, { ...none, key: 'K', metaKey: true })).toBe(true);
  expect(isPressed(palette, { ...none, key: 'k' })).toBe(false);
  expect(isPressed(palette, { ...none, key: 'k', ctrlKey: true, shiftKey: true })).toBe(false);
  expect(isPressed(palette, { ...none, key: 'k', ctrlKey: true, altKey: true })).toBe(false);
});

test('a sign counts with Shift where the layout has it only there, and a question mark without Ctrl', () => {
  const [slash, question] = shortcuts.shortcuts;
  expect(isPressed(slash, { ...none, key: '/', ctrlKey: true, shiftKey: true })).toBe(true);
  if (question === undefined) throw new Error('there is no question mark');
  expect(isPressed(question, { ...none, key: '?', shiftKey: true })).toBe(true);
  expect(isPressed(question, { ...none, key: '?', shiftKey: true, ctrlKey: true })).toBe(false);
});

test('the menu has the keys that the window has', () => {
  expect([acceleratorOf('palette'), acceleratorOf('settings'), acceleratorOf('shortcuts')]).toEqual([
    'CmdOrCtrl+K',
    'CmdOrCtrl+,',
    'CmdOrCtrl+/',
  ]);
});

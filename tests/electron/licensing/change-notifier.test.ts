/** Who is told of a change, and who no longer is. */
import { expect, it } from 'vitest';
import { ChangeNotifier } from '../../../electron/licensing/change-notifier.ts';
import { createFakePlatform } from '../fake-platform.ts';

function start() {
  const { clock, log, logged } = createFakePlatform();
  return { clock, logged, changes: new ChangeNotifier({ clock, log }) };
}

it('a listener is called in the next turn, until it unsubscribes', async () => {
  const { changes, clock } = start();
  let calls = 0;
  const unsubscribe = changes.subscribe(() => calls++);
  changes.notify();
  expect(calls).toBe(0);
  await clock.advance(0);
  expect(calls).toBe(1);
  unsubscribe();
  changes.notify();
  await clock.advance(0);
  expect(calls).toBe(1);
});

it('nobody is called after the end', async () => {
  const { changes, clock } = start();
  let calls = 0;
  changes.subscribe(() => calls++);
  changes.notify();
  changes.stop();
  changes.notify();
  await clock.advance(0);
  expect(calls).toBe(0);
});

it('a listener that fails is logged, and the others are called', async () => {
  const { changes, clock, logged } = start();
  let calls = 0;
  changes.subscribe(() => {
    throw new Error('no');
  });
  changes.subscribe(() => calls++);
  changes.notify();
  await clock.advance(0);
  expect(calls).toBe(1);
  expect(logged).toEqual(['a listener of the state failed {}']);
});

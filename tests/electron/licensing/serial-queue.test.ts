/** The tasks of a queue run one at a time, whatever happens to earlier ones. */
import { expect, it } from 'vitest';
import { SerialQueue } from '../../../electron/licensing/serial-queue.ts';
import { settle } from '../fake-platform.ts';

it('runs tasks one at a time and in order, also after a failed one', async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  let finishFirst = () => {};
  const first = queue.run(async () => {
    log.push('first starts');
    await new Promise<void>((resolve) => {
      finishFirst = resolve;
    });
    log.push('first ends');
    throw new Error('first failed');
  });
  const second = queue.run(async () => {
    log.push('second');
    return 2;
  });
  await settle();
  expect(log).toEqual(['first starts']);
  finishFirst();
  await expect(first).rejects.toThrow('first failed');
  expect(await second).toBe(2);
  await queue.idle();
  expect(log).toEqual(['first starts', 'first ends', 'second']);
});

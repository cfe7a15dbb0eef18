/** The queue of password hashes: the order in which jobs run, and which one is dropped when too many are waiting. */
import { expect, it } from 'vitest';
import { FairQueue } from '../../../server/accounts/fair-queue.ts';

/** Creates a queue that runs one job at a time and is busy until `finish`; `add` queues a job that records its name. */
function setUp(capacity = 100) {
  const queue = new FairQueue({ concurrency: 1, capacity, createFullError: () => new Error('full') });
  const done: string[] = [];
  const dropped: string[] = [];
  const { promise, resolve: begin } = Promise.withResolvers<void>();
  const jobs: Promise<void>[] = [queue.run(() => promise, { group: 'first', isPreferred: false })];
  const add = (group: string, name: string, isPreferred = false) => {
    const job = queue.run(async () => void done.push(name), { group, isPreferred });
    jobs.push(job.catch(() => void dropped.push(name)));
  };
  const finish = async () => {
    begin();
    await Promise.all(jobs);
    return { done, dropped };
  };
  return { queue, add, finish };
}

it('groups take turns, and jobs within a group keep their order', async () => {
  const { add, finish } = setUp();
  for (const name of ['a1', 'a2', 'a3', 'a4']) add('a', name);
  for (const name of ['b1', 'b2']) add('b', name);
  add('c', 'c1');
  expect((await finish()).done).toStrictEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

it('preferred jobs run first', async () => {
  const { add, finish } = setUp();
  add('a', 'a1');
  add('b', 'b1');
  add('b', 'known', true);
  expect((await finish()).done).toStrictEqual(['known', 'a1', 'b1']);
});

it('the group with the most waiting jobs loses its newest one when the queue is full', async () => {
  const { add, finish } = setUp(4);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) add('a', name);
  add('b', 'b1');
  add('c', 'c1');
  add('b', 'known', true);
  expect(await finish()).toStrictEqual({ done: ['known', 'a1', 'b1', 'c1'], dropped: ['a5', 'a4', 'a3', 'a2'] });
});

it('one ordinary job runs after every four preferred ones', async () => {
  const { add, finish } = setUp();
  for (const name of ['o1', 'o2', 'o3']) add('a', name);
  for (let index = 1; index <= 9; index++) add(`known ${index}`, `k${index}`, true);
  const expected = ['k1', 'k2', 'k3', 'k4', 'o1', 'k5', 'k6', 'k7', 'k8', 'o2', 'k9', 'o3'];
  expect((await finish()).done).toStrictEqual(expected);
});

it('the largest group loses its newest job even if its jobs are preferred', async () => {
  const { add, finish } = setUp(2);
  add('a', 'k1', true);
  add('a', 'k2', true);
  add('b', 'other');
  expect(await finish()).toStrictEqual({ done: ['k1', 'other'], dropped: ['k2'] });
});

it('a flood of preferred jobs from many groups neither drops nor starves an ordinary job', async () => {
  const { add, finish } = setUp(10);
  add('other', 'other');
  for (let index = 0; index < 100; index++) add(`known ${index}`, `k${index}`, true);
  const { done, dropped } = await finish();
  expect(done.indexOf('other')).toBe(4);
  expect(dropped).toHaveLength(91);
});

it('a flood of ordinary jobs from many groups neither drops nor delays a preferred job', async () => {
  const { add, finish } = setUp(10);
  for (let index = 0; index < 50; index++) add(`before ${index}`, `b${index}`);
  add('known', 'known', true);
  for (let index = 0; index < 50; index++) add(`after ${index}`, `a${index}`);
  const { done, dropped } = await finish();
  expect(done[0]).toBe('known');
  expect(dropped).toHaveLength(91);
});

it('a job that fails rejects only its own promise', async () => {
  const { queue, add, finish } = setUp();
  const failing = queue.run(() => Promise.reject(new Error('broken')), { group: 'a', isPreferred: false });
  const failed = expect(failing).rejects.toThrow('broken');
  add('a', 'next');
  expect((await finish()).done).toStrictEqual(['next']);
  await failed;
});

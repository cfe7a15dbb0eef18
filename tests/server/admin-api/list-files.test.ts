/** CSV files of lists: their pages are read one at a time per process, each when its reader is ready for it. */
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ListResponses } from '../../../server/admin-api/list-response.ts';
import type { List } from '../../../server/database/list.ts';
import { CsvFile } from '../../../server/http/endpoint-handler.ts';
import { progressIntervalMs, streamBody } from '../../../server/http/streamed-body.ts';

type Row = { readonly id: string };

const list: List<object, Row> = {
  readPage: async () => ({ rows: [{ id: '1' }, { id: '2' }], next: null }),
  count: async () => ({ count: 2, is_exact: true }),
};

function read(lists: ListResponses, from: List<object, Row>) {
  return lists.read(from, { format: 'csv' }, { name: 'rows', csv: { name: 'rows', columns: ['id'] } });
}

async function open(lists: ListResponses, from = list): Promise<Readable> {
  const file = await read(lists, from);
  if (!(file instanceof CsvFile)) throw new TypeError('no file');
  return streamBody(file.parts).on('error', () => undefined);
}

/** A list whose pages are larger than what a stream reads ahead, and the number of its pages read at the same time. */
function longList() {
  const rows = Array.from({ length: 20_000 }, (_, number) => ({ id: `${number}` }));
  const reads = { count: 0, running: 0, most: 0 };
  const readPage = async () => {
    reads.count += 1;
    reads.running += 1;
    reads.most = Math.max(reads.most, reads.running);
    await setImmediate();
    reads.running -= 1;
    return { rows, next: 'more' };
  };
  return { list: { ...list, readPage }, reads };
}

it('files whose readers have stopped delay nobody: another is complete while they are open', async () => {
  const lists = new ListResponses();
  const { list: long, reads } = longList();
  for (let count = 0; count < 10; count++) (await open(lists, long)).read();
  await expect.poll(() => reads.count).toBe(10);
  expect(await text(await open(lists))).toBe('id\r\n1\r\n2\r\n');
  expect(reads.count).toBe(10);
});

it('one page is read at a time, however many files are being read', async () => {
  const lists = new ListResponses();
  const { list: long, reads } = longList();
  const files = await Promise.all(Array.from({ length: 5 }, () => open(lists, long)));
  for (const file of files) file.resume();
  await expect.poll(() => reads.count).toBeGreaterThan(20);
  for (const file of files) file.destroy();
  expect(reads.most).toBe(1);
});

it('a page that cannot be read ends its own file only', async () => {
  const lists = new ListResponses();
  const failing = { ...list, readPage: () => Promise.reject(new Error('the query failed')) };
  const [failed, complete] = [await open(lists, failing), await open(lists)];
  await expect(text(failed)).rejects.toThrow('the query failed');
  expect(await text(complete)).toBe('id\r\n1\r\n2\r\n');
});

it('a file whose reader stops is closed, and reads no further', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { list: long, reads } = longList();
  const file = await open(new ListResponses(), long);
  file.read();
  // The server keeps reading until the buffer of the stream is full.
  while (!file.destroyed) await vi.advanceTimersByTimeAsync(progressIntervalMs);
  const { count } = reads;
  await setImmediate();
  expect(reads.count).toBe(count);
});

it('a reader who waits gets a complete file, even if little is found in the list for minutes', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  let pages = 0;
  const sparse = {
    ...list,
    readPage: async () => {
      await vi.advanceTimersByTimeAsync(progressIntervalMs);
      pages += 1;
      return { rows: pages === 5 ? [{ id: '1' }] : [], next: pages === 5 ? null : 'more' };
    },
  };
  expect(await text(await open(new ListResponses(), sparse))).toBe('id\r\n1\r\n');
});

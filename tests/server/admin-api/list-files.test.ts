/** CSV files of lists: two at a time per process, however many are requested at once. */
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
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

it('a third file at the same time is refused until one has been read', async () => {
  const lists = new ListResponses();
  const asked = await Promise.allSettled([open(lists), open(lists), open(lists), open(lists)]);
  expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
  const [first] = asked;
  if (first?.status !== 'fulfilled') throw new Error('refused');
  expect(await text(first.value)).toBe('id\r\n1\r\n2\r\n');
  await open(lists);
  await expect(open(lists)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

it('a file that is never read counts until its response has ended', async () => {
  const lists = new ListResponses();
  const [file] = [await open(lists), await open(lists)];
  await expect(open(lists)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  file.destroy();
  await expect
    .poll(() =>
      open(lists).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
});

it('a file whose reader stops is closed, and no longer counts', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const lists = new ListResponses();
  const rows = Array.from({ length: 1000 }, (_, number) => ({ id: `${number}` }));
  const endless = { ...list, readPage: async () => ({ rows, next: 'more' }) };
  const file = await open(lists, endless);
  file.read();
  await open(lists);
  await expect(open(lists)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  // The server keeps reading until the buffer of the stream is full.
  while (!file.destroyed) await vi.advanceTimersByTimeAsync(progressIntervalMs);
  await expect.poll(() => open(lists)).toBeDefined();
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

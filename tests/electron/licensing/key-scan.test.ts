/** One scan for keys: the order of what it finds, what it counts, and when it stops reading. */
import { describe, expect, it } from 'vitest';
import { KeyScan, type ScanInput } from '../../../electron/licensing/key-scan.ts';
import type { Files } from '../../../electron/licensing/platform.ts';
import { formatApiKey } from '../../../shared/formats/api-key.ts';
import { formatLicenseKey } from '../../../shared/formats/license-key.ts';
import type { KeyScanProgress } from '../../../shared/ipc/key-scan.ts';

const apiKey = formatApiKey('AbCd-1234_efGH5678ijKL90');
const licenseKey = formatLicenseKey([10, 11, 1, 2, 12, 13, 3, 4, 14, 15, 5, 6, 16, 17, 7]);
const utf8 = (text: string) => new TextEncoder().encode(text);
const unreadable = Object.assign(new Error('no'), { code: 'EACCES' });

type Content = readonly Uint8Array[] | Error;

/** Runs a scan of these files, which are found in this order, or of `input`. */
async function scan(
  contents: Readonly<Record<string, Content>>,
  {
    input,
    signal = new AbortController().signal,
  }: {
    readonly input?: ScanInput;
    readonly signal?: AbortSignal;
  } = {},
) {
  const progress: KeyScanProgress[] = [];
  const read: string[] = [];
  const files = {
    async *walk() {
      for (const [path, content] of Object.entries(contents)) {
        if (content instanceof Error && path.endsWith('/')) yield { kind: 'unreadable', path, error: content };
        else yield { kind: 'file', path };
      }
    },
    async readFile(path: string, { onBytes }: { onBytes: (bytes: Uint8Array) => boolean }) {
      const content = contents[path] ?? [];
      if (content instanceof Error) return { kind: 'unreadable', error: content };
      for (const bytes of content) {
        read.push(path);
        if (!onBytes(bytes)) break;
      }
      return { kind: 'read' };
    },
  } as unknown as Files;
  const run = new KeyScan({ files, signal, onProgress: (each) => progress.push(each) });
  return { outcome: await run.run(input ?? { paths: ['/'] }), progress, read };
}

async function* stream(...pieces: readonly (Uint8Array | Error)[]): AsyncIterable<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Error) throw piece;
    yield piece;
  }
}

const textBefore = '\n'.repeat(2);

describe('what is found', () => {
  it('is in the order of the files, and of the places in each', async () => {
    const { outcome } = await scan({
      '/b': [utf8(`${apiKey} ${licenseKey}\n${textBefore}${apiKey}`)],
      '/c': [utf8(`${licenseKey} ${apiKey}${' '.repeat(100)}`)],
      '/a': [utf8(`\n${licenseKey}`)],
    });
    const places = outcome.kind === 'done' && outcome.found.map(({ file, line, column }) => [file, line, column]);
    expect(places).toEqual([
      ['/a', 2, 1],
      ['/b', 1, 1],
      ['/b', 1, apiKey.length + 2],
      ['/b', 4, 1],
      ['/c', 1, 1],
      ['/c', 1, licenseKey.length + 2],
    ]);
  });

  it('is limited to a thousand keys, even if a text has very many', async () => {
    const { outcome } = await scan({}, { input: { text: `${apiKey}\n`.repeat(200_000) } });
    expect(outcome).toMatchObject({ kind: 'done', limit: 'keys' });
    expect(outcome.kind === 'done' && outcome.found).toHaveLength(1000);
  });

  it('is complete if a stream begins with an empty piece', async () => {
    const { outcome } = await scan({}, { input: { bytes: stream(utf8(''), utf8(apiKey)) } });
    expect(outcome).toMatchObject({ kind: 'done', found: [{ key: apiKey, file: null }] });
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(apiKey, 'utf16le')]);
    const { outcome: ofUtf16 } = await scan({}, { input: { bytes: stream(utf8(''), utf16) } });
    expect(ofUtf16).toMatchObject({ kind: 'done', found: [{ key: apiKey }] });
  });
});

describe('what is counted', () => {
  it('says of each file whether it was read, skipped or unreadable', async () => {
    const { outcome, read } = await scan({
      '/text': [utf8('a'), utf8('b')],
      '/binary': [utf8('\0'), utf8(apiKey)],
      '/private': unreadable,
      '/folder/': unreadable,
    });
    expect(outcome).toEqual({ kind: 'done', found: [], files: 1, skipped: 1, unreadable: 2, bytes: 3, limit: null });
    expect(read).toEqual(['/text', '/text', '/binary']);
  });

  it('is a failure if nothing could be read, with the reason of the first', async () => {
    const { outcome } = await scan({ '/private': unreadable, '/gone': Object.assign(new Error(), { code: 'ENOENT' }) });
    expect(outcome).toEqual({ kind: 'unreadable', why: { fileProblem: 'no-permission' } });
    const { outcome: ofStream } = await scan({}, { input: { bytes: stream(utf8('a'), new Error('cut')) } });
    expect(ofStream).toEqual({ kind: 'unreadable', why: {} });
  });

  it('is no failure if there was nothing to read', async () => {
    expect((await scan({})).outcome).toMatchObject({ kind: 'done', files: 0, unreadable: 0 });
  });
});

describe('a scan stops', () => {
  /** Bytes of a binary file that seem to be this many. */
  const bytesOfLength = (length: number) => Object.defineProperty(new Uint8Array([0]), 'length', { value: length });

  it('after more than 10 GiB', async () => {
    const limit = 10 * 1024 ** 3;
    const { outcome, read } = await scan({ '/1': [bytesOfLength(limit)], '/2': [utf8('a')], '/3': [utf8('a')] });
    expect(outcome).toMatchObject({ kind: 'done', bytes: limit + 1, limit: 'bytes' });
    expect(read).toEqual(['/1', '/2']);
    expect((await scan({ '/1': [bytesOfLength(limit)] })).outcome).toMatchObject({ limit: null });
  });

  it('within a file, once it has found too many keys or is canceled', async () => {
    const keys = utf8(`${apiKey}\n`.repeat(1100));
    const { read } = await scan({ '/1': [keys, keys], '/2': [utf8('a')] });
    expect(read).toEqual(['/1']);
    const canceled = await scan({ '/1': [utf8('a'), utf8('b')], '/2': [] }, { signal: AbortSignal.abort() });
    expect(canceled.read).toEqual([]);
  });
});

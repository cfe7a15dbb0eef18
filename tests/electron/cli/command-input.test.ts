/** What a command reads: exactly what was piped in, or nothing at all; and only files that it can read. */
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readCommandLine, UnreadableFile, UsageError } from '../../../electron/cli/cli-program.ts';
import { createPipe } from '../pipe.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const nowhere = new Writable({ write: (_chunk, _encoding, next) => next() });

function read(words: readonly string[], chunks: readonly (string | Buffer)[]) {
  const input = new PassThrough();
  for (const chunk of chunks) input.write(chunk);
  input.end();
  const ask = () => Promise.reject(new Error('nothing is asked for'));
  const terminal = { input, output: nowhere, errors: nowhere, folder: temporaryFolder(), ask };
  return readCommandLine(words, terminal, { version: '1.0.0', signal: new AbortController().signal });
}

const signIn = ['sign-in', 'ada@example.org', '--password-stdin'];
const secrets = [
  ['a password', signIn, 'password'],
  ['the key to activate', ['activate', '--key-stdin'], 'license_key'],
  ['the key of a request', ['lease', 'request', '--key-stdin'], 'license_key'],
] as const;

describe('standard input', () => {
  it.each(secrets)('is %s without its trailing newline, and otherwise unchanged', async (_, words, field) => {
    for (const [given, expected] of [
      ['Grüße 日本\n', 'Grüße 日本'],
      ['two\nlines\r\n', 'two\nlines'],
      [' spaces \n\n', ' spaces \n'],
      ['\uFEFFmark', '\uFEFFmark'],
      ['', ''],
    ] as const) {
      expect(await read(words, [given])).toMatchObject({ input: { [field]: expected } });
    }
    const [bytes, at] = [Buffer.from('日本'), 2];
    const pieces = await read(words, [bytes.subarray(0, at), bytes.subarray(at)]);
    expect(pieces).toMatchObject({ input: { [field]: '日本' } });
  });

  it.each(secrets)('that is not UTF-8 is rejected as %s, instead of being altered', async (_, words) => {
    for (const bytes of [
      Buffer.from([0x70, 0xff, 0x71]),
      Buffer.from('日本').subarray(0, 4),
      Buffer.from('é', 'latin1'),
    ]) {
      await expect(read(words, [bytes])).rejects.toThrow(UsageError);
      await expect(read(words, [bytes])).rejects.toThrow('Standard input is not UTF-8.');
    }
  });

  it('that is no lease is left to the command, which reports it', async () => {
    const invocation = await read(['lease', 'import', '-'], [Buffer.from('lease', 'utf16le'), Buffer.from([0xff])]);
    expect(invocation).toMatchObject({ command: 'lease import' });
  });
});

describe('a file', () => {
  it('of a lease that is a pipe is rejected, and does not block the process', async () => {
    await expect(read(['lease', 'import', createPipe()], [])).rejects.toThrow(UnreadableFile);
  });

  it('of a lease that cannot be read is reported with the reason', async () => {
    await expect(read(['lease', 'import', 'absent'], [])).rejects.toThrow(/absent cannot be read: missing\.$/);
  });

  it('that does not exist is rejected by a scan, even among others', async () => {
    const there = temporaryFolder();
    await expect(read(['scan', there, 'missing'], [])).rejects.toThrow(/missing cannot be read: missing\.$/);
    expect(await read(['scan', there], [])).toMatchObject({ input: { paths: [there] } });
  });
});

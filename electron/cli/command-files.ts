/** Files that commands of the command line write and read in the folder where they were called. */
import { createWriteStream, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { renderUnicodeCompact } from 'uqr';
import { leaseRequestFile } from '../../shared/api/lease.ts';
import type { LeakedKey } from '../../shared/ipc/key-scan.ts';
import { maskLicenseKey } from '../licensing/entitlement.ts';
import { leaseRequestFileName, leaseRequestText, type MadeLeaseRequest } from '../licensing/lease-request.ts';
import { writeAtomically } from '../platform/atomic-write.ts';

/** Turns the result of a command into its output. */
export type Finish = (value: unknown) => Promise<unknown>;

/** A file that cannot be written. */
export class UnwritableFile extends Error {}

type LeaseRequestFile = { readonly folder: string; readonly out: string | undefined; readonly qr: boolean };

/** Writes the request to a file that only its owner can read. */
export function writeLeaseRequest({ folder, out, qr }: LeaseRequestFile): Finish {
  return async (value) => {
    // Another process may have answered; the location of the file is up to this one.
    const request = leaseRequestFile.parse((value as MadeLeaseRequest).request);
    const file = resolve(folder, out ?? leaseRequestFileName(request));
    await write(file, leaseRequestText(request));
    const { license_key, ...rest } = request;
    const qrCode = qr ? { qr: renderUnicodeCompact(JSON.stringify(request), { ecc: 'M', border: 2 }) } : {};
    return { file, request: { ...rest, license: maskLicenseKey(license_key) }, ...qrCode };
  };
}

export function writeSupportFile(file: string): Finish {
  return async (value) => {
    const { text } = value as { readonly text: string };
    await write(file, text);
    return { file, bytes: Buffer.byteLength(text) };
  };
}

type KeptInput = {
  readonly path: string;
  /** Replaces the file name with that of standard input. */
  readonly finish: Finish;
  /** Removes the file. Never rejects. */
  readonly discard: () => Promise<void>;
};

const maxInputBytes = 2 ** 30;

/** Copies standard input into a temporary file, up to 1 GiB; removes it on failure or interruption. */
export async function keepInput(input: NodeJS.ReadableStream, signal: AbortSignal): Promise<KeptInput> {
  // Synchronous, so that errors of the input have a listener from the start.
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-scan-'));
  const path = join(folder, 'input');
  const discard = () => rm(folder, { recursive: true, force: true }).catch(() => {});
  try {
    await pipeline(input, limitInput, createWriteStream(path, { mode: 0o600 }), { signal });
  } catch (error) {
    await discard();
    throw error;
  }
  return {
    path,
    finish: async (value) => (value as readonly LeakedKey[]).map((key) => ({ ...key, file: '-' })),
    discard,
  };
}

async function* limitInput(input: AsyncIterable<string | Buffer>): AsyncGenerator<string | Buffer> {
  let bytes = 0;
  for await (const chunk of input) {
    bytes += Buffer.byteLength(chunk);
    if (bytes > maxInputBytes) throw new UnwritableFile('Standard input is longer than 1 GiB. Scan a file instead.');
    yield chunk;
  }
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeAtomically(file, text);
  } catch {
    throw new UnwritableFile(`The file ${file} cannot be written.`);
  }
}

/** A stand-in for Electron's binary with real fuses, so that packaging can be tested without the real binary. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SENTINEL } from '@electron/fuses/dist/constants.js';

/** The fuses of a new binary: run as Node, NODE_OPTIONS, inspect and file privileges are on. */
const shippedFuses = '101100010';

/** The content of a binary with that fuse wire: `1` on, `0` off, `r` removed. */
export function electronBinary(fuses = shippedFuses): Buffer {
  const wire = Buffer.concat([Buffer.from([1, fuses.length]), Buffer.from(fuses)]);
  return Buffer.concat([Buffer.from(`#!/bin/sh\nexit 0\n# ${SENTINEL}`), wire, Buffer.from('\n')]);
}

/** Writes a folder that electron-builder accepts as `electronDist`. */
export function writeElectronDist(folder: string): string {
  mkdirSync(join(folder, 'locales'), { recursive: true });
  for (const language of ['en-US', 'de', 'ja', 'fr']) writeFileSync(join(folder, 'locales', `${language}.pak`), '');
  const binary = join(folder, 'electron');
  writeFileSync(binary, electronBinary());
  chmodSync(binary, 0o755);
  return folder;
}

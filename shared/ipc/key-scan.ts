/** What a scan for leaked keys found, without the keys: they never leave the main process. */
import type { Failure } from './result.ts';

/** What is longer is scanned as a file. */
export const maxScannedText = 1_000_000;

/** An API key or a license key of our form, its checksum included, in a file or a text. */
export type LeakedKey = {
  /** Never used again, also not by a later scan. */
  readonly id: number;
  /** `null` in a text that was not read from a file. */
  readonly file: string | null;
  /** From 1. */
  readonly line: number;
  /** Of its first character, from 1, counted in UTF-16 code units as editors do. */
  readonly column: number;
  readonly kind: 'api_key' | 'license_key';
  /** What may be shown of it. */
  readonly preview: string;
  /** Whether it was reported to the server since. */
  readonly reported: boolean;
};

export type KeyScanProgress = {
  /** Read so far; those that were skipped are not among them. */
  readonly files: number;
  readonly bytes: number;
  readonly found: number;
  /** The file that is being read. */
  readonly file: string | null;
};

export type KeyScanReport = {
  /** By file, line and column. */
  readonly keys: readonly LeakedKey[];
  readonly files: number;
  readonly bytes: number;
  /** Files that are not text. */
  readonly skipped: number;
  /** Files and folders that could not be read. */
  readonly unreadable: number;
  /** Which limit ended the scan before everything was read. */
  readonly limit: 'files' | 'bytes' | 'keys' | null;
};

export type KeyScanState =
  | { readonly kind: 'idle' }
  | ({ readonly kind: 'scanning' } & KeyScanProgress)
  /** `checkedAt` is ISO 8601. */
  | ({ readonly kind: 'done'; readonly checkedAt: string } & KeyScanReport)
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Results of a scan for leaked keys, without the keys: they never leave the main process. */
import type { Failure } from './result.ts';

/** Longer texts are scanned as files. */
export const maxScannedText = 1_000_000;

/** An API or license key of our form, with a valid checksum, in a file or text. */
export type LeakedKey = {
  /** Never reused, not even by a later scan. */
  readonly id: number;
  /** `null` for a text that was not read from a file. */
  readonly file: string | null;
  /** 1-based. */
  readonly line: number;
  /** 1-based column of the first character in UTF-16 code units, as in editors. */
  readonly column: number;
  readonly kind: 'api_key' | 'license_key';
  /** Displayable part of the key. */
  readonly preview: string;
  /** Whether it has since been reported to the server. */
  readonly reported: boolean;
};

export type KeyScanProgress = {
  /** Files read so far, without skipped ones. */
  readonly files: number;
  readonly bytes: number;
  readonly found: number;
  /** The current file. */
  readonly file: string | null;
};

export type KeyScanReport = {
  /** Sorted by file, line and column. */
  readonly keys: readonly LeakedKey[];
  readonly files: number;
  readonly bytes: number;
  /** Files that are not text. */
  readonly skipped: number;
  /** Files and folders that could not be read. */
  readonly unreadable: number;
  /** The limit that ended the scan early, if any. */
  readonly limit: 'files' | 'bytes' | 'keys' | null;
};

export type KeyScanState =
  | { readonly kind: 'idle' }
  | ({ readonly kind: 'scanning' } & KeyScanProgress)
  /** `checkedAt` is ISO 8601. */
  | ({ readonly kind: 'done'; readonly checkedAt: string } & KeyScanReport)
  | { readonly kind: 'failed'; readonly failure: Failure };

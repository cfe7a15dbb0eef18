/**
 * Decides the response for a file: all of it, some of its bytes, or 304 if the client has it (RFC 9110 §13 and §14).
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type ByteRange, parseByteRanges } from './byte-ranges.rules.ts';

export type FileRequest = { readonly method: string; readonly headers: IncomingHttpHeaders };

export type FileVersion = {
  readonly bytes: number;
  /** A strong ETag, with its quotes: it changes with every byte. */
  readonly etag: string;
};

export type FileOutcome =
  | { readonly status: 200 | 304 | 416 }
  | { readonly status: 206; readonly ranges: readonly ByteRange[] };

export function decideFileOutcome({ method, headers }: FileRequest, { bytes, etag }: FileVersion): FileOutcome {
  if (isListed(headers['if-none-match'], etag)) return { status: 304 };
  const { range, 'if-range': ifRange } = headers;
  // Only GET has ranges. A date in If-Range never matches, because no date is sent.
  if (method !== 'GET' || range === undefined || (ifRange !== undefined && ifRange !== etag)) return { status: 200 };
  const ranges = parseByteRanges(range, bytes);
  if (ranges === undefined) return { status: 200 };
  return ranges.length === 0 ? { status: 416 } : { status: 206, ranges };
}

/**
 * Returns true if `If-None-Match` names this version. The comparison is weak, because a cache in between may have
 * weakened the tag.
 */
function isListed(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((entry) => entry.trim().replace(/^W\//, '') === etag);
}

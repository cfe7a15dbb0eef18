/** The files that are carried to and from a device that is never online: its request, and its lease. */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type LeaseRequestFile, leaseRequestFile } from '../../shared/api/lease.ts';
import { replaceFile } from '../atomic-write.ts';
import { ApiError } from '../errors.ts';

const maxRequestBytes = 64 * 1024;

/** Reads a request. Throws `ApiError` NOT_FOUND, or VALIDATION_ERROR if the file is not a request. */
export function readLeaseRequest(file: string): LeaseRequestFile {
  if (!existsSync(file)) throw new ApiError('NOT_FOUND', `There is no file ${file}.`);
  const parsed = leaseRequestFile.safeParse(readJson(file));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const reason = field === '' ? 'it must be {"license_key", "device_id"} as JSON' : `${field}: ${issue?.message}`;
  throw new ApiError('VALIDATION_ERROR', `${file} is not the request of a device (${reason}).`);
}

/** Parses a file. Returns `undefined` if it is not JSON, not a regular file, or too large. */
function readJson(file: string): unknown {
  if (!statSync(file).isFile() || statSync(file).size > maxRequestBytes) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/**
 * Writes the lease atomically. The temporary file has a random name, so that another user with write access to the
 * folder cannot create it first.
 */
export function writeLease(file: string, lease: string): void {
  const temporaryFile = join(dirname(file), `.${randomBytes(8).toString('hex')}.new`);
  try {
    writeFileSync(temporaryFile, `${lease}\n`, { mode: 0o600, flag: 'wx' });
    replaceFile(temporaryFile, file);
  } finally {
    rmSync(temporaryFile, { force: true });
  }
}

/**
 * Checks that the lease can be written to the file; must be called before the device is activated. Throws `ApiError`
 * NOT_FOUND if it cannot.
 */
export function requireLeaseFolder(file: string): void {
  if (existsSync(dirname(file)) && statSync(file, { throwIfNoEntry: false })?.isFile() !== false) return;
  throw new ApiError(
    'NOT_FOUND',
    `${file} cannot be written: there is no folder ${dirname(file)}, or it is itself a folder or a device.`,
  );
}

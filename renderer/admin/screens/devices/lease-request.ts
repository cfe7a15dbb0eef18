/** Reads the lease request file of an offline device before anything in it is sent. */
import type { LeaseRequestFile } from '../../../../shared/api/lease.ts';
import { deviceIdPattern } from '../../../../shared/formats/device-id.ts';
import { normalizeLicenseKey, previewLicenseKey } from '../../../../shared/formats/license-key.ts';

/** What is wrong with a file; also the name of a message below `lease.wrong`. */
export type LeaseRequestProblem = 'unreadable' | 'tooLarge' | 'notJson' | 'licenseKey' | 'deviceId' | 'text';

type ReadLeaseRequest = { readonly request: LeaseRequestFile } | { readonly problem: LeaseRequestProblem };

/** The server's limit. */
const maxBytes = 64 * 1024;

/** Reads and checks a request file. Never throws. */
export async function readLeaseRequest(file: Blob): Promise<ReadLeaseRequest> {
  if (file.size > maxBytes) return { problem: 'tooLarge' };
  try {
    return parseLeaseRequest(await file.text());
  } catch {
    return { problem: 'unreadable' };
  }
}

export function parseLeaseRequest(text: string): ReadLeaseRequest {
  const content = parseObject(text.replace(/^\uFEFF/, ''));
  if (content === undefined) return { problem: 'notJson' };
  const { license_key, device_id, device_name = '', platform = '' } = content;
  if (typeof license_key !== 'string' || license_key.trim() === '') return { problem: 'licenseKey' };
  if (typeof device_id !== 'string' || !deviceIdPattern.test(device_id)) return { problem: 'deviceId' };
  if (typeof device_name !== 'string' || typeof platform !== 'string') return { problem: 'text' };
  return { request: { license_key, device_id, device_name, platform } };
}

/**
 * Returns the preview with which the license can be shown and searched; `null` for a key from another system, which has
 * no safe preview.
 */
export function previewOf({ license_key }: LeaseRequestFile): string | null {
  const key = normalizeLicenseKey(license_key);
  return key === null ? null : previewLicenseKey(key);
}

/** Returns a file name made from the device's name. */
export function leaseFileName({ device_id, device_name }: LeaseRequestFile): string {
  const name = device_name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '');
  return `${name === '' ? device_id : name}.lease`;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(text);
    const isObject = typeof content === 'object' && content !== null && !Array.isArray(content);
    return isObject ? (content as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

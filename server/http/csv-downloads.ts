/** CSV lists downloaded by staff: one at a time per member, and only while the member may still read the list. */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { apiKeyPrefix, previewApiKey } from '../../shared/formats/api-key.ts';
import { normalizeLicenseKey, previewLicenseKey } from '../../shared/formats/license-key.ts';
import type { AuditDetails } from '../audit/audit-event.ts';
import type { AuditLogService } from '../audit/audit-log.service.ts';
import type { Database } from '../database/database.ts';
import { runWithDeadline } from '../deadline.ts';
import { ApiError } from '../errors.ts';
import type { SignedInStaff } from '../staff/signed-in-staff.ts';
import type { CsvFile } from './endpoint-handler.ts';
import type { Requirement, StaffAuth } from './staff-auth.ts';
import { streamBody } from './streamed-body.ts';

const retryAfterSeconds = 30;

export type CsvDownloadsDeps = {
  readonly staffAuth: Pick<StaffAuth, 'authenticateAgain' | 'requirePermission'>;
  readonly database: Pick<Database, 'write'>;
  readonly auditLog: Pick<AuditLogService, 'record'>;
};

type CsvRequest = {
  readonly staff: SignedInStaff;
  readonly request: Pick<FastifyRequest, 'method' | 'params' | 'query' | 'by'>;
  readonly required: Requirement;
};

export class CsvDownloads {
  readonly #deps: CsvDownloadsDeps;
  /** The download in progress of each member, by member id. */
  readonly #running = new Map<string, CsvFile>();

  constructor(deps: CsvDownloadsDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the response body, which is empty for HEAD. Throws `ApiError` SERVICE_UNAVAILABLE while the member is
   * downloading another list.
   */
  start(file: CsvFile, csvRequest: CsvRequest): Readable {
    const { staff, request } = csvRequest;
    // Otherwise Fastify would read the whole list.
    if (request.method === 'HEAD') return Readable.from([]);
    if (this.#running.has(staff.id)) {
      const message = 'You are downloading another list. Try again once that has ended.';
      throw new ApiError('SERVICE_UNAVAILABLE', message, retryAfterSeconds);
    }
    this.#running.set(staff.id, file);
    const end = () => {
      if (this.#running.get(staff.id) === file) this.#running.delete(staff.id);
    };
    const requirePermitted = () => this.#requirePermitted(csvRequest);
    // On `end` too: the client may ask for the next list before this stream has closed.
    return streamBody(this.#readParts(file, request), { requirePermitted }).once('end', end).once('close', end);
  }

  /** Records the download before anything is sent. */
  async *#readParts(file: CsvFile, { by, params, query }: CsvRequest['request']) {
    const { database, auditLog } = this.#deps;
    // The id of what the list belongs to, such as the endpoint of deliveries.
    const { id = '' } = params as { readonly id?: string };
    const target = { kind: 'list', id, label: file.name } as const;
    const { format: _format, ...filter } = query as AuditDetails;
    const event = { ...by, action: 'staff.download', target, details: withoutKeys(filter) } as const;
    await database.write((transaction) => auditLog.record(transaction, event));
    yield* file.parts;
  }

  async #requirePermitted({ staff, required }: CsvRequest): Promise<void> {
    const { staffAuth } = this.#deps;
    const again = await runWithDeadline(undefined, () => staffAuth.authenticateAgain(staff));
    staffAuth.requirePermission(again, required);
  }
}

/** Shortens a whole key that somebody searched for: every member of staff can read the audit log. */
function withoutKeys(filter: AuditDetails): AuditDetails {
  const shorten = (text: string) => {
    const licenseKey = normalizeLicenseKey(text);
    if (licenseKey !== null) return previewLicenseKey(licenseKey);
    return text.trim().startsWith(apiKeyPrefix) ? previewApiKey(text.trim()) : text;
  };
  const entries = Object.entries(filter);
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? shorten(value) : value]));
}

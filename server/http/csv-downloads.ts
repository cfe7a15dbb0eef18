/** CSV lists downloaded by staff: one at a time per member, and only while the member may still read the list. */
import type { Readable } from 'node:stream';
import { runWithDeadline } from '../deadline.ts';
import { ApiError } from '../errors.ts';
import type { SignedInStaff } from '../staff/signed-in-staff.ts';
import type { CsvFile } from './endpoint-handler.ts';
import type { Requirement, StaffAuth } from './staff-auth.ts';
import { streamBody } from './streamed-body.ts';

const retryAfterSeconds = 30;

export class CsvDownloads {
  readonly #staffAuth: Pick<StaffAuth, 'authenticateAgain' | 'requirePermission'>;
  /** The download in progress of each member, by member id. */
  readonly #running = new Map<string, CsvFile>();

  constructor(staffAuth: Pick<StaffAuth, 'authenticateAgain' | 'requirePermission'>) {
    this.#staffAuth = staffAuth;
  }

  /** Returns the response body. Throws `ApiError` SERVICE_UNAVAILABLE while the member is downloading another list. */
  start(file: CsvFile, staff: SignedInStaff, required: Requirement): Readable {
    if (this.#running.has(staff.id)) {
      void file.parts.return(undefined);
      const message = 'You are downloading another list. Try again once that has ended.';
      throw new ApiError('SERVICE_UNAVAILABLE', message, retryAfterSeconds);
    }
    this.#running.set(staff.id, file);
    const end = () => {
      if (this.#running.get(staff.id) === file) this.#running.delete(staff.id);
    };
    const requirePermitted = () => this.#requirePermitted(staff, required);
    // On `end` too: the client may ask for the next list before this stream has closed.
    return streamBody(file.parts, { requirePermitted }).once('end', end).once('close', end);
  }

  async #requirePermitted(staff: SignedInStaff, required: Requirement): Promise<void> {
    const again = await runWithDeadline(undefined, () => this.#staffAuth.authenticateAgain(staff));
    this.#staffAuth.requirePermission(again, required);
  }
}

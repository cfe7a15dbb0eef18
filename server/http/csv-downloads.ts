/** Lists that members of staff download: one at a time for each member, and only for as long as the member may read the list. */
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
  /** The file that each member reads, by the id of the member. */
  readonly #running = new Map<string, CsvFile>();

  constructor(staffAuth: Pick<StaffAuth, 'authenticateAgain' | 'requirePermission'>) {
    this.#staffAuth = staffAuth;
  }

  /** The body of the response. Throws `ApiError` SERVICE_UNAVAILABLE while the member downloads another list. */
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
    // The reader may ask for the next list before the stream of this one is closed.
    return streamBody(file.parts, { requirePermitted }).once('end', end).once('close', end);
  }

  async #requirePermitted(staff: SignedInStaff, required: Requirement): Promise<void> {
    const again = await runWithDeadline(undefined, () => this.#staffAuth.authenticateAgain(staff));
    this.#staffAuth.requirePermission(again, required);
  }
}

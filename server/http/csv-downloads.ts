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
    const body = streamBody(this.#readWhilePermitted(file, staff, required));
    // Where it ends before anything was read, nothing else ends the parts.
    return body.once('close', () => this.#end(file, staff));
  }

  async *#readWhilePermitted(file: CsvFile, staff: SignedInStaff, required: Requirement) {
    for await (const part of file.parts) {
      const again = await runWithDeadline(undefined, () => this.#staffAuth.authenticateAgain(staff));
      this.#staffAuth.requirePermission(again, required);
      yield part;
    }
    this.#end(file, staff);
  }

  #end(file: CsvFile, { id }: SignedInStaff): void {
    if (this.#running.get(id) === file) this.#running.delete(id);
    void file.parts.return(undefined);
  }
}

/** The result of an import, which needs little memory however many rows are refused. To be closed once it has been printed. */
import { TemporaryRows } from '../database/temporary-rows.ts';

export type ReportedRow = { readonly row: number; readonly reason: string };

export class ImportReport {
  rows = 0;
  imported = 0;
  /** A row with a warning was imported, but not as the file says. */
  readonly reported = new TemporaryRows<'refused' | 'warnings', ReportedRow>();

  close(): void {
    this.reported.close();
  }
}

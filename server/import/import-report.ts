/** The result of an import, which needs little memory however many rows are refused. Close it after printing. */
import { TemporaryRows } from '../database/temporary-rows.ts';

export type ReportedRow = { readonly row: number; readonly reason: string };

export class ImportReport {
  rows = 0;
  imported = 0;
  /** Refused rows, and rows with a warning, which were imported but not exactly as in the file. */
  readonly reported = new TemporaryRows<'refused' | 'warnings', ReportedRow>();

  close(): void {
    this.reported.close();
  }
}

/** The result of an import, which needs little memory however many rows are refused. To be closed once it has been printed. */
import { ReportedRows } from './reported-rows.ts';

export class ImportReport {
  rows = 0;
  imported = 0;
  readonly refused = new ReportedRows();
  /** Rows that were imported, but not as the file says. */
  readonly warnings = new ReportedRows();

  close(): void {
    this.refused.close();
    this.warnings.close();
  }
}

/** `import`: accounts, licenses and API keys of another system, from CSV files. */
import { type Command, Option } from 'commander';
import { byCommand } from '../audit/audit-event.ts';
import type { ImportReport, ReportedRow } from '../import/import.service.ts';
import { type ImportKind, type ImportSource, importKinds, importSources } from '../import/import-source.ts';
import type { AdminContext } from './admin-context.ts';
import { createTableFormat, formatJsonReport } from './command-output.ts';

type ImportOptions = { dryRun?: boolean; from?: ImportSource };

const descriptions: Readonly<Record<ImportKind, string>> = {
  accounts:
    'Create accounts. Columns: email, full_name, password_hash (argon2id or bcrypt; if empty, a reset or ' +
    '"user password" sets the first password).',
  licenses:
    'Add licenses whose keys continue to work. They may have any form. Columns: license_key, email, plan, status, ' +
    'max_activations, expires_at; empty fields take the defaults of "license issue". A server that sends mail gives none ' +
    'to an account whose address nobody has confirmed: such a license has no owner, and its row is reported with a warning.',
  'api-keys':
    'Add API keys as "api-key import-legacy" does. Columns: email, key or sha256 (one of them in each row), expires_at. ' +
    'A server that sends mail refuses a row of an account whose address nobody has confirmed.',
};

/** Adds the noun `import` and its commands. */
export function addImportCommands(program: Command, context: AdminContext): void {
  const imports = program
    .command('import')
    .description(
      'Accounts, licenses and API keys of another system, from CSV files in UTF-8, also while the server runs.',
    );
  for (const kind of importKinds) {
    const command = imports
      .command(`${kind} <file>`)
      .description(
        `${descriptions[kind]} The first line names the columns. Prints each refused row with the reason, and exits with 0 even then; ` +
          'running it again imports nothing twice.',
      )
      .option('--dry-run', 'write nothing, and print the same report');
    if (kind !== 'api-keys') {
      command.addOption(
        new Option('--from <system>', 'read the columns as that system exports them').choices(importSources),
      );
    }
    command.action(async (file: string, { dryRun = false, from: source }: ImportOptions) => {
      const run = { kind, file: context.resolveFile(file), source, dryRun, by: byCommand };
      const report = await context.withServices(({ imports }) => imports.run(run));
      await context.printReport(report, { json: formatJson, text: (imported) => formatText(imported, dryRun) });
    });
  }
}

function formatJson({ rows, imported, reported }: ImportReport): AsyncIterable<string> {
  const warnings = reported.count('warnings') > 0 && { warnings: reported.pages('warnings') };
  return formatJsonReport({ rows, imported }, { refused: reported.pages('refused'), ...warnings });
}

function* formatText({ rows, imported, reported }: ImportReport, dryRun: boolean): Generator<string, void, void> {
  if (dryRun) yield 'Dry run: nothing was written. The import would report:\n\n';
  const [refused, warnings] = [reported.count('refused'), reported.count('warnings')];
  yield `rows      ${rows}\nimported  ${imported}\nrefused   ${refused}\n`;
  if (refused > 0) yield* formatTextRows(reported.pages('refused'));
  if (warnings > 0) yield `\nwarnings  ${warnings}\n`;
  if (warnings > 0) yield* formatTextRows(reported.pages('warnings'));
}

function* formatTextRows(pages: Iterable<readonly ReportedRow[]>): Generator<string, void, void> {
  yield '\n';
  const format = createTableFormat<ReportedRow>(['row', 'reason']);
  for (const page of pages) yield `${format(page)}\n`;
}

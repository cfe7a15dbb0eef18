/** Maps the columns of a file, which have either our own names or those of another system's export. */
import { ApiError } from '../errors.ts';
import { toIsoForm } from '../iso-time.ts';
import { readCsvRecords } from './csv-records.ts';
import type { Fields, RowImporter } from './row-importer.ts';

export const importKinds = ['accounts', 'licenses', 'api-keys'] as const;
export type ImportKind = (typeof importKinds)[number];

/** Systems whose exports are supported. */
export const importSources = ['keygen', 'lemonsqueezy'] as const;
export type ImportSource = (typeof importSources)[number];

type Mapping = {
  /** Accepted header names for each of our columns; case, spaces and punctuation are ignored. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** Converts all fields that were read, which may include additional ones, to our columns. */
  readonly convert?: (fields: Fields) => Fields;
};

const mappings: Readonly<Record<ImportSource, Readonly<Partial<Record<ImportKind, Mapping>>>>> = {
  keygen: {
    accounts: {
      names: {
        email: ['email'],
        full_name: ['full_name', 'name'],
        password_hash: ['password_hash'],
        first_name: ['first_name'],
        last_name: ['last_name'],
      },
      convert: ({ first_name = '', last_name = '', ...fields }) => ({
        ...fields,
        full_name: fields.full_name || `${first_name} ${last_name}`.trim(),
      }),
    },
    licenses: {
      names: {
        license_key: ['key', 'license_key'],
        email: ['user_email', 'owner_email', 'email'],
        plan: ['plan'],
        status: ['status'],
        max_activations: ['max_machines', 'max_activations'],
        expires_at: ['expiry', 'expires_at'],
      },
      // INACTIVE and EXPIRING licenses are valid at Keygen: they were not used recently, or are about to expire.
      convert: convertLicense({
        active: 'active',
        inactive: 'active',
        expiring: 'active',
        suspended: 'inactive',
        banned: 'revoked',
      }),
    },
  },
  lemonsqueezy: {
    accounts: {
      names: { email: ['email', 'user_email', 'customer_email'], full_name: ['name', 'user_name', 'customer_name'] },
    },
    licenses: {
      names: {
        license_key: ['key', 'license_key'],
        email: ['user_email', 'customer_email', 'email'],
        plan: ['plan'],
        status: ['status'],
        disabled: ['disabled'],
        max_activations: ['activation_limit', 'max_activations'],
        expires_at: ['expires_at', 'expiry'],
      },
      // At Lemon Squeezy, a key without activations is "inactive" but valid.
      convert: convertLicense({ active: 'active', inactive: 'active', disabled: 'inactive' }),
    },
  },
};

function convertLicense(statuses: Readonly<Record<string, string>>) {
  return ({ disabled = '', ...fields }: Fields): Fields => {
    const status = (fields.status ?? '').toLowerCase();
    return {
      ...fields,
      status: /^(?:true|1|yes)$/i.test(disabled) ? 'inactive' : (statuses[status] ?? status),
      expires_at: toIsoForm(fields.expires_at ?? ''),
    };
  };
}

/** Columns of a file, and which of them are required. */
export type Columns = Pick<RowImporter, 'columns' | 'requiredColumns'>;

type ReadRow = { readonly fields: Fields } | { readonly refusal: string };

/** A row of the file; data rows count from 1. */
export type FileRow = { readonly row: number; readonly read: ReadRow };

/** Reads the rows of a file. Throws like `readCsvRecords`, and `ApiError` VALIDATION_ERROR for an invalid header. */
export async function* readRows(
  file: string,
  importer: Columns,
  mapped: { kind?: ImportKind; source?: ImportSource } = {},
): AsyncGenerator<FileRow, void, void> {
  const records = readCsvRecords(file);
  const header = await records.next();
  if (header.done) throw new ApiError('VALIDATION_ERROR', 'The file is empty: its first line must name the columns.');
  const read = createRowReader(header.value.fields, importer, mapped);
  for await (const { row, fields } of records) yield { row, read: read(fields) };
}

function createRowReader(
  header: readonly string[],
  importer: Columns,
  { kind, source }: { kind?: ImportKind; source?: ImportSource },
): (values: readonly string[]) => ReadRow {
  const mapping = source === undefined || kind === undefined ? undefined : mappings[source][kind];
  if (source !== undefined && !mapping) {
    throw new ApiError('VALIDATION_ERROR', `There is no mapping of ${kind} from ${source}.`);
  }
  const columns = mapping ? mapColumns(header, mapping) : ownColumns(header, importer);
  const missing = importer.requiredColumns.filter((name) => !columns.includes(name));
  if (missing.length > 0) {
    throw new ApiError('VALIDATION_ERROR', `The header of the file lacks the column ${missing.join(' and ')}.`);
  }
  return (values) => {
    if (values.length !== header.length) {
      return { refusal: `The row has ${values.length} fields, the header has ${header.length}.` };
    }
    const fields: Record<string, string> = {};
    for (const [index, name] of columns.entries()) {
      const value = values[index]?.trim() ?? '';
      if (name !== undefined) fields[name] = mapping && value === 'null' ? '' : value;
    }
    return { fields: mapping?.convert?.(fields) ?? fields };
  };
}

/** Rejects unknown columns: a name may be misspelled, or the file may be the wrong one. */
function ownColumns(header: readonly string[], { columns }: Columns): string[] {
  return header.map((text, index) => {
    const name = text.trim().toLowerCase();
    if (!columns.includes(name)) {
      throw new ApiError(
        'VALIDATION_ERROR',
        `The header has the unknown column "${text.slice(0, 50)}". The columns are: ${columns.join(', ')}.`,
      );
    }
    if (header.findIndex((other) => other.trim().toLowerCase() === name) !== index) {
      throw new ApiError('VALIDATION_ERROR', `The header has the column ${name} twice.`);
    }
    return name;
  });
}

/** If a column has several names, takes the mapping's first one that the file has. All other columns are left out. */
function mapColumns(header: readonly string[], { names }: Mapping): (string | undefined)[] {
  const present = header.map(plainName);
  const columns: (string | undefined)[] = header.map(() => undefined);
  for (const [name, candidates] of Object.entries(names)) {
    const found = candidates.map((candidate) => present.indexOf(plainName(candidate))).find((index) => index >= 0);
    if (found !== undefined) columns[found] = name;
  }
  return columns;
}

function plainName(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** The parts of the server, from the programs down to what imports nothing, each with its purpose. */
import type { Import } from '../../electron/release/imports.ts';

export type Layer = { readonly name: string; readonly parts: readonly string[] };

/** The routes of all features, in any folder. */
export const routes = 'X.routes.ts';
/** Files outside the folders, grouped by whether they use the database. */
export const [filesOnDatabase, otherFiles] = ['health, waiting-mails, …', 'clock, deadline, errors, …'];

export const layers: readonly Layer[] = [
  { name: 'programs', parts: ['main.ts', 'workers/', 'server-process.ts', 'demo/', 'admin/'] },
  { name: 'composition', parts: ['app.ts', 'jobs.ts', routes, 'services.ts'] },
  { name: 'HTTP', parts: ['openapi/', 'admin-api/', 'pages/', 'http/'] },
  {
    name: 'features',
    parts: [
      'oidc/',
      'staff/',
      'statistics/',
      'account-export/',
      'heartbeats/',
      'api-keys/',
      'policy-preview/',
      'entitlements/',
      'secret-rotation/',
      'leases/',
      'billing/',
      'reminders/',
      'licenses/',
      'activations/',
      'mail-pages/',
      'auth/',
      'mail/',
      'metrics/',
      'accounts/',
      'subscriptions/',
      'account-snapshots/',
      'plans/',
      'updates/',
      'installers/',
      'keys/',
      'import/',
      'retention/',
      'webhooks/',
      'idempotency/',
    ],
  },
  { name: 'storage', parts: ['backup/', 'audit/', 'rate-limits/', filesOnDatabase, 'secrets/', 'database/'] },
  { name: 'basis', parts: ['settings/', otherFiles] },
];

export const parts: readonly string[] = layers.flatMap((layer) => layer.parts);

/** An import between two parts; `types` is true if it imports only types. */
export type PartImport = { readonly from: string; readonly to: string; readonly types: boolean };

/** Returns the imports between the parts, each once. Throws for a folder that is in no layer. */
export function importsOfParts(imports: readonly Import[]): PartImport[] {
  const inServer = imports.filter(({ file, target }) => [file, target].every((path) => path.startsWith('server/')));
  const filesThatUseDatabase = new Set(
    inServer.flatMap(({ file, target }) => (target.startsWith('server/database/') ? file : [])),
  );
  const found = new Map<string, PartImport>();
  for (const { file, target, typeOnly } of inServer) {
    const [from, to] = [partOf(file, filesThatUseDatabase), partOf(target, filesThatUseDatabase)];
    const known = found.get(`${from} ${to}`);
    if (from !== to) found.set(`${from} ${to}`, { from, to, types: typeOnly && (known?.types ?? true) });
  }
  // Sorted, because the order of files and of their imports does not matter.
  return [...found.keys()].sort().flatMap((key) => found.get(key) ?? []);
}

function partOf(path: string, filesThatUseDatabase: ReadonlySet<string>): string {
  if (path.endsWith('.routes.ts')) return routes;
  const [, first = '', ...rest] = path.split('/');
  const part = rest.length > 0 ? `${first}/` : first;
  if (parts.includes(part)) return part;
  if (rest.length > 0) throw new Error(`${path}: the layers in tests/structure/server-layers.ts do not list ${part}`);
  return filesThatUseDatabase.has(path) ? filesOnDatabase : otherFiles;
}

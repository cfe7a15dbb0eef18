/** The endpoint table matches the published interface, and the API document matches the table. */
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../server/openapi/openapi-document.ts';
import { adminEndpoints } from '../../../shared/api/admin-endpoints.ts';
import { apiRoot, type Endpoint, endpoints, errorCodesOf } from '../../../shared/api/endpoints.ts';
import { errorTable } from '../../../shared/api/errors.ts';
import { features } from '../../../shared/api/features.ts';
import { integrationEndpoints } from '../../../shared/api/integration-endpoints.ts';
import { builtInFeatures, seededPlans, smallestPlanWith } from '../../../shared/seeded-features.ts';

const entries: [string, Endpoint][] = Object.entries({ ...endpoints, ...integrationEndpoints });
const adminEntries: [string, Endpoint][] = Object.entries(adminEndpoints);

/** The published interface, repeated manually, so that a change of the table is noticed. */
const bareInterface = [
  'POST /auth/login none login',
  'POST /auth/signup none signup',
  'POST /auth/refresh none default',
  'GET /subscription/status bearer default',
  'POST /license/validate bearer license',
  'POST /license/activate bearer license',
  'POST /metrics/api-key bearer default',
  'POST /metrics/api-key/validate none key_validate',
  'POST /heartbeat bearer default',
  'GET /binary-hash none default',
];

describe('the endpoint table', () => {
  it('contains the ten endpoints of the interface, and marks every other one as an extension', () => {
    const bare = entries.filter(([, { extension }]) => !extension);
    expect(bare.map(([, { method, path, auth, rate }]) => `${method} ${path} ${auth} ${rate}`).sort()).toEqual(
      [...bareInterface].sort(),
    );
  });

  it.each([...entries, ...adminEntries])('gives %s only codes that are in the table of codes', (_, endpoint) => {
    for (const code of [...errorCodesOf(endpoint), ...(endpoint.invalidCodes ?? [])]) {
      expect(errorTable).toHaveProperty(code);
    }
  });

  it('uses every code of the table except those of the framework', () => {
    const used = new Set(
      [...entries, ...adminEntries].flatMap(([, endpoint]) => [
        ...errorCodesOf(endpoint),
        ...(endpoint.invalidCodes ?? []),
      ]),
    );
    const unused = Object.keys(errorTable).filter((code) => !used.has(code as keyof typeof errorTable));
    expect(unused).toEqual(['METHOD_NOT_ALLOWED', 'RANGE_NOT_SATISFIABLE']);
  });
});

describe('the table of admin endpoints', () => {
  it.each(adminEntries)('gives %s a path under /admin, and a role if it is for staff', (_, endpoint) => {
    expect(endpoint.path).toMatch(/^\/admin\//);
    expect(endpoint.auth).not.toBe('bearer');
    expect(endpoint.role !== undefined).toBe(endpoint.auth === 'staff');
    if (endpoint.confirm) expect(endpoint.auth).toBe('staff');
  });

  it('has every method and path only once, and no name of the other tables', () => {
    const tables = [endpoints, integrationEndpoints, adminEndpoints];
    const all = tables.flatMap((table): [string, Endpoint][] => Object.entries(table));
    expect(new Set(all.map(([, { method, path }]) => `${method} ${path}`)).size).toBe(all.length);
    expect(new Set(all.map(([name]) => name)).size).toBe(all.length);
  });

  it('reads with GET, which changes nothing', () => {
    for (const [, endpoint] of adminEntries) {
      if (endpoint.method === 'GET') expect(endpoint.request ?? endpoint.upload ?? endpoint.confirm).toBeUndefined();
      else expect(endpoint.query).toBeUndefined();
    }
  });
});

describe('the API document', () => {
  const document = openApiDocument('https://licenses.example.org');
  const paths = document.paths as Record<string, Record<string, { responses: Record<string, unknown> }>>;

  it.each(entries)('contains %s with every status that the table gives it', (_, endpoint) => {
    const operation = paths[endpoint.path.replace(/:(\w+)/g, '{$1}')]?.[endpoint.method.toLowerCase()];
    const statuses = new Set(['200', ...errorCodesOf(endpoint).map((code) => String(errorTable[code].status))]);
    for (const status of Object.keys(endpoint.otherResponses ?? {})) statuses.add(status);
    expect(Object.keys(operation?.responses ?? {}).sort()).toEqual([...statuses].sort());
  });

  it('contains nothing that the table lacks', () => {
    const operations = Object.values(paths).reduce((sum, path) => sum + Object.keys(path).length, 0);
    expect(operations).toBe(entries.length);
    expect(document.servers).toMatchObject([{ url: `https://licenses.example.org${apiRoot}` }]);
  });
});

describe('the seeded plans', () => {
  it('contain every feature key', () => {
    for (const plan of Object.values(seededPlans)) expect(features.parse(plan)).toEqual(plan);
  });

  it.each(builtInFeatures)('name a plan that has %s', (flag) => {
    expect(seededPlans[smallestPlanWith(flag) ?? 'free'][flag]).toBe(true);
  });
});

/** The OpenAPI documents: they are exact, and their examples match what the server really sends. */
import { describe, expect, it } from 'vitest';
import { examples } from '../../../server/openapi/examples.ts';
import type { Json } from '../../../server/openapi/named-schemas.ts';
import { adminOpenApiDocument, openApiDocument } from '../../../server/openapi/openapi-document.ts';
import { type Endpoint, type EndpointName, endpoints } from '../../../shared/api/endpoints.ts';
import { errorCodes } from '../../../shared/api/errors.ts';
import { integrationEndpoints } from '../../../shared/api/integration-endpoints.ts';
import { callEveryEndpoint } from '../../conformance/every-endpoint.ts';
import { DocumentRules, type Operation } from '../../harness/document-rules.ts';
import { sharedApp } from '../../harness/start-app.ts';

const server = sharedApp();
const document: Json = { ...openApiDocument(''), $id: 'interface' };
const entries: readonly (readonly [string, Endpoint])[] = Object.entries({ ...endpoints, ...integrationEndpoints });
const rules = new DocumentRules();

type Node = { readonly [name: string]: unknown };

function locate({ method, path }: Endpoint) {
  return { document, method: method.toLowerCase(), path: path.replace(/:(\w+)/g, '{$1}') };
}

function operationOf(endpoint: Endpoint): Operation {
  const { method, path } = locate(endpoint);
  return (document.paths as Record<string, Record<string, Operation>>)[path]?.[method] as Operation;
}

/** Yields every object in the document with its path, except inside examples. */
function* nodesOf(value: unknown, path = '#'): Generator<readonly [string, Node]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Node];
  for (const [name, child] of Object.entries(value)) {
    if (name !== 'example' && name !== 'examples') yield* nodesOf(child, `${path}/${name}`);
  }
}

/** Returns the shape of an example, which is the same for two values that differ only in texts and numbers. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [shapeOf(value[0])];
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, shapeOf(field)]));
}

describe('the OpenAPI document', () => {
  it.each(entries)('has examples of %s that match its own schemas', (_, endpoint) => {
    const operation = operationOf(endpoint);
    if (endpoint.request) {
      const example = operation.requestBody?.content['application/json']?.example;
      const validate = rules.validator(locate(endpoint), 'requestBody/content/application~1json/schema');
      expect(validate?.(example), JSON.stringify([example, validate?.errors])).toBe(true);
    }
    for (const [status, { content }] of Object.entries(operation.responses)) {
      const given = Object.values(content['application/json']?.examples ?? {}) as { value: unknown }[];
      expect(given.length, status).toBeGreaterThan(0);
      const validate = rules.validator(locate(endpoint), `responses/${status}/content/application~1json/schema`);
      for (const { value } of given) expect(validate?.(value), JSON.stringify([value, validate?.errors])).toBe(true);
    }
  });

  it('has an example with the shape of every real response', async () => {
    const responses = await callEveryEndpoint(server);
    for (const [name, { body }] of Object.entries(responses)) {
      // The response consists of records that may or may not exist, and the schema says which fields they have.
      if (name === 'exportAccount') continue;
      const shapes = Object.values(examples[name as EndpointName].responses).map(shapeOf);
      // Installers may be published for any of the platforms.
      const real = name === 'installerHashes' ? { ...body, hashes: { windows_x64: '', linux_amd64: '' } } : body;
      expect(shapes, name).toContainEqual(shapeOf(real));
    }
  });

  it('requires all fields except those that the server may omit', () => {
    const optional = [...nodesOf(document.components)]
      .filter(
        ([path, { properties }]) =>
          /Response|User|TokenSet|License|Features|Activation|Session/.test(path) && properties,
      )
      .flatMap(([path, { properties, required = [] }]) =>
        Object.keys(properties as object).flatMap((name) =>
          (required as readonly string[]).includes(name) ? [] : `${path.split('/').pop()} ${name}`,
        ),
      );
    expect(optional.filter((each) => !/Request /.test(each)).sort()).toEqual([
      'HeartbeatResponse warning',
      'ListActivationsResponse new_devices',
      'ListActivationsResponse released_devices',
      'hashes linux_amd64',
      'hashes macos_arm64',
      'hashes windows_x64',
      'items released_devices',
      'items several_installations_at',
    ]);
  });

  it.each([
    ['the interface', document],
    ['the admin page', adminOpenApiDocument('')],
  ])('of %s has codes as enumerations, dates as date-time, and no long patterns', (_, which) => {
    const nodes = [...nodesOf(which)];
    for (const [path, { pattern = '', properties = {} }] of nodes) {
      expect(String(pattern).length, path).toBeLessThan(80);
      for (const [name, field] of Object.entries(properties as Record<string, Node>)) {
        if (/_at$|^timestamp$|_period_(?:start|end)$|_after$/.test(name) && field.type === 'string') {
          expect(field.format, `${path} ${name}`).toBe('date-time');
        }
        const codes = name === 'code' && !path.includes('Request') ? (field.enum ?? [field.const]) : [];
        for (const code of codes as string[]) expect(errorCodes).toContain(code);
      }
    }
    expect(nodes.some(([, { properties }]) => (properties as Json | undefined)?.code)).toBe(true);
  });

  it('says when Retry-After is sent with the device limit', () => {
    const { headers } = operationOf(endpoints.activateLicense).responses['409'] as { headers?: Json };
    expect(headers).toMatchObject({ 'Retry-After': { schema: { type: 'integer', minimum: 1 } } });
  });

  it('enumerates statuses and sources, and says how the variants of a union differ', () => {
    type Schema = {
      readonly properties: Readonly<Record<string, object>>;
      readonly oneOf: Schema[];
      readonly anyOf: Schema[];
    };
    const { schemas } = document.components as { readonly schemas: Readonly<Record<string, Schema>> };
    const variantsOf = (name: string) =>
      (schemas[name]?.oneOf ?? schemas[name]?.anyOf ?? []).map((each) => each.properties);
    const subscriptionStatuses = ['trialing', 'active', 'past_due', 'canceled', 'expired'];
    expect(schemas.Subscription?.properties.status).toMatchObject({ enum: subscriptionStatuses });
    expect(schemas.License?.properties.status).toMatchObject({ enum: ['active', 'inactive', 'revoked', 'expired'] });
    expect(variantsOf('ValidateLicenseResponse')).toMatchObject([
      { valid: { const: true } },
      { valid: { const: false }, code: { enum: endpoints.validateLicense.invalidCodes } },
    ]);
    expect(variantsOf('ValidateApiKeyResponse')).toMatchObject([
      { valid: { const: true }, source: { enum: ['new', 'legacy'] } },
      { valid: { const: false }, code: { enum: ['INVALID_API_KEY', 'SUBSCRIPTION_INACTIVE', 'API_ACCESS_DISABLED'] } },
      { valid: { const: false }, code: { const: 'SUBSCRIPTION_EXPIRED' } },
    ]);
    expect(variantsOf('SubscriptionStatusResponse')).toMatchObject([
      { has_subscription: { const: true } },
      { has_subscription: { const: false } },
    ]);
  });
});

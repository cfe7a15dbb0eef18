/** Checks that a response matches the OpenAPI document of its endpoint, for each response that a case receives. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import type { Json } from '../../server/openapi/named-schemas.ts';
import { adminOpenApiDocument, openApiDocument } from '../../server/openapi/openapi-document.ts';
import { adminEndpoints } from '../../shared/api/admin-endpoints.ts';
import { type Endpoint, endpoints, fullPathOf } from '../../shared/api/endpoints.ts';
import { integrationEndpoints } from '../../shared/api/integration-endpoints.ts';
import type { RawResponse } from './response-rules.ts';

export type Operation = {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly examples?: Json }>> }>
  >;
};

type Documented = { readonly document: Json; readonly method: string; readonly path: string; readonly pattern: RegExp };

/** Rules from the documents; schemas are compiled on demand. */
export class DocumentRules {
  readonly #ajv: Ajv2020 = createAjv();
  readonly #operations: readonly Documented[];

  constructor() {
    const documents = [
      { document: openApiDocument(''), table: { ...endpoints, ...integrationEndpoints }, id: 'interface' },
      { document: adminOpenApiDocument(''), table: adminEndpoints, id: 'admin' },
    ];
    this.#operations = documents.flatMap(({ document, table, id }) => {
      this.#ajv.addSchema({ ...document, $id: id });
      return Object.values(table as Readonly<Record<string, Endpoint>>).map((endpoint) => ({
        document: { ...document, $id: id },
        method: endpoint.method.toLowerCase(),
        path: endpoint.path.replace(/:(\w+)/g, '{$1}'),
        pattern: new RegExp(`^${fullPathOf(endpoint).replace(/:\w+/g, '[^/]+')}$`),
      }));
    });
  }

  /** Checks a response. Ignores responses that are not JSON, and paths that the documents do not have. */
  expect(method: string, path: string, { status, headers, text }: RawResponse): void {
    const [plainPath = ''] = path.split('?');
    // A client resolves `..` before sending the request, so it reaches another path.
    if (/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(plainPath)) return;
    const operation = this.#operations.find(
      (each) => each.method === method.toLowerCase() && each.pattern.test(plainPath),
    );
    if (!operation || !headers.get('content-type')?.startsWith('application/json') || method === 'HEAD') return;
    const validate = this.validator(operation, `responses/${status}/content/application~1json/schema`);
    expect(validate, `${method} ${plainPath} has no status ${status} in the document: ${text}`).toBeDefined();
    const isValid = validate?.(JSON.parse(text));
    expect(isValid, `${method} ${plainPath}: ${this.#ajv.errorsText(validate?.errors)} in ${text}`).toBe(true);
  }

  /** Returns a validator for what is at this pointer of an operation; `undefined` if there is nothing. */
  validator({ document, method, path }: Omit<Documented, 'pattern'>, pointer: string): ValidateFunction | undefined {
    const escaped = path.replaceAll('~', '~0').replaceAll('/', '~1');
    return this.#ajv.getSchema(`${document.$id}#/paths/${encodeURI(escaped)}/${method}/${pointer}`);
  }
}

function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  return ajv;
}

let rules: DocumentRules | undefined;

export function expectDocumented(method: string, path: string, response: RawResponse): void {
  rules ??= new DocumentRules();
  rules.expect(method, path, response);
}

/** Generates the OpenAPI 3.1 document of the API from the tables of endpoints and error codes. */
import type { z } from 'zod';
import { policyPreview } from '../../shared/api/admin/policy-preview.ts';
import { adminEndpoints } from '../../shared/api/admin-endpoints.ts';
import { newApiKey } from '../../shared/api/api-key.ts';
import { refreshedTokens, session, successResponse, tokenSet, user } from '../../shared/api/auth.ts';
import { apiRoot, type Endpoint, endpoints } from '../../shared/api/endpoints.ts';
import { features } from '../../shared/api/features.ts';
import { integrationEndpoints } from '../../shared/api/integration-endpoints.ts';
import { activation } from '../../shared/api/license.ts';
import { license, subscription } from '../../shared/api/subscription.ts';
import { examples, type OperationExamples } from './examples.ts';
import { type Json, NamedSchemas } from './named-schemas.ts';
import { describeOperation, tagOf } from './operation.ts';

/** Returns the document that `/api/v1/openapi.json` serves; `serverUrl` is the base URL of the server. */
export function openApiDocument(serverUrl: string): Json {
  return describe(Object.entries({ ...endpoints, ...integrationEndpoints }), {
    serverUrl,
    title: 'License service',
    description: 'Accounts, subscriptions, licenses, devices and API keys.',
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    resources,
  });
}

/** Returns the document of the admin page's endpoints, which `/api/v1/admin/openapi.json` serves. */
export function adminOpenApiDocument(serverUrl: string): Json {
  const cookie =
    'latchkey_staff; over TLS __Host-latchkey_staff, or __Secure-latchkey_staff where the server has a path. Requests that change something must come from a page of the server.';
  return describe(Object.entries(adminEndpoints), {
    serverUrl,
    title: 'License service: administration',
    description: 'What staff do in the admin page. These endpoints may change with every version.',
    securitySchemes: { staff: { type: 'apiKey', in: 'cookie', name: 'latchkey_staff', description: cookie } },
    resources: { Activation: activation, Features: features, PolicyPreview: policyPreview },
  });
}

type DocumentOptions = {
  readonly serverUrl: string;
  readonly title: string;
  readonly description: string;
  readonly securitySchemes: Json;
  /** Parts that several messages contain, by name. */
  readonly resources: Readonly<Record<string, z.ZodType>>;
};

function describe(entries: readonly (readonly [string, Endpoint])[], options: DocumentOptions): Json {
  const requests = new NamedSchemas('input');
  const responses = new NamedSchemas('output');
  for (const [name, schema] of Object.entries(options.resources)) responses.add(name, schema);
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, endpoint] of entries) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    const known: Readonly<Partial<Record<string, OperationExamples>>> = examples;
    const operation = describeOperation(name, endpoint, { ...options, requests, responses, examples: known[name] });
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: '1',
      description: options.description,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The administrator of this server' },
    },
    servers: [{ url: options.serverUrl + apiRoot, description: 'This server' }],
    tags: [...new Set(entries.map(([, endpoint]) => tagOf(endpoint)))].map((name) => ({
      name,
      description: `The endpoints of ${name.toLowerCase()}.`,
    })),
    paths,
    components: {
      schemas: { ...requests.toJson(), ...responses.toJson() },
      securitySchemes: options.securitySchemes,
    },
  };
}

/** Parts that several messages contain. */
const resources = {
  User: user,
  TokenSet: tokenSet,
  RefreshedTokens: refreshedTokens,
  Session: session,
  Success: successResponse,
  Subscription: subscription,
  License: license,
  Features: features,
  Activation: activation,
  NewApiKey: newApiKey,
} as const;

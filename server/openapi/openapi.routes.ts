/** Serves the OpenAPI 3.1 document of the API, which is generated from the tables of endpoints and error codes. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { apiRoot, type Endpoint, endpoints, errorCodesOf } from '../../shared/api/endpoints.ts';
import { type ErrorCode, errorEnvelope, errorTable } from '../../shared/api/errors.ts';
import type { RequestLimiter } from '../http/request-limiter.ts';

type Json = { readonly [name: string]: unknown };

/** Rate limited like an endpoint. The server URL in the document is relative, so it is right behind any proxy. */
export function addOpenApiRoute(app: FastifyInstance, limiter: RequestLimiter): void {
  const limit = limiter.limitOf('default', 'openapi');
  let document: string | undefined;
  app.get(`${apiRoot}/openapi.json`, async (request, reply) => {
    await limit.countAddress(request);
    document ??= JSON.stringify(openApiDocument(''));
    return reply.header('content-type', 'application/json; charset=utf-8').send(document);
  });
}

/** The document that `/api/v1/openapi.json` serves; `serverUrl` is the base URL of the server. */
export function openApiDocument(serverUrl: string): Json {
  return {
    openapi: '3.1.0',
    info: { title: 'License service', version: '1', description: 'Accounts, subscriptions, licenses and API keys.' },
    servers: [{ url: serverUrl + apiRoot }],
    paths: paths(Object.entries(endpoints)),
    components: {
      schemas: { Error: schemaOf(errorEnvelope, 'output') },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  };
}

function paths(entries: readonly (readonly [string, Endpoint])[]): Json {
  const byPath: Record<string, Record<string, Json>> = {};
  for (const [name, endpoint] of entries) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    byPath[path] = { ...byPath[path], [endpoint.method.toLowerCase()]: operation(name, endpoint) };
  }
  return byPath;
}

function operation(name: string, endpoint: Endpoint): Json {
  return {
    operationId: name,
    summary: endpoint.summary,
    ...(endpoint.extension ? { 'x-extension': true } : {}),
    security: endpoint.auth === 'bearer' ? [{ bearer: [] }] : [],
    parameters: [...pathParameters(endpoint), ...headerParameters(endpoint)],
    ...(endpoint.request ? { requestBody: requestBody(endpoint.request, endpoint.requestOptional ?? false) } : {}),
    responses: responses(endpoint),
  };
}

function pathParameters({ params }: Endpoint): Json[] {
  return Object.keys(params?.shape ?? {}).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function headerParameters({ headers = {} }: Endpoint): Json[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    description,
    schema: { type: 'string' },
  }));
}

function requestBody(request: z.ZodType, optional: boolean): Json {
  return { required: !optional, content: { 'application/json': { schema: schemaOf(request, 'input') } } };
}

function responses(endpoint: Endpoint): Json {
  const invalidCodes = endpoint.invalidCodes
    ? ` With valid: false, one of the codes: ${endpoint.invalidCodes.join(', ')}.`
    : '';
  const ok = { 200: jsonResponse(`Success.${invalidCodes}`, schemaOf(endpoint.response, 'output')) };
  const others = Object.entries(endpoint.otherResponses ?? {}).map(([status, schema]) => [
    status,
    jsonResponse('Nothing is published.', schemaOf(schema, 'output')),
  ]);
  const codesByStatus = Map.groupBy(errorCodesOf(endpoint), (code) => errorTable[code].status);
  const errors = [...codesByStatus].map(([status, codes]) => [status, errorResponse(status, codes)]);
  return { ...ok, ...Object.fromEntries(errors), ...Object.fromEntries(others) };
}

function errorResponse(status: number, codes: readonly ErrorCode[]): Json {
  const description = codes.map((code) => `${code}: ${errorTable[code].message}`).join(' ');
  const response = jsonResponse(description, { $ref: '#/components/schemas/Error' });
  if (status !== 429 && status !== 503) return response;
  const retryAfter = { description: 'Whole seconds to wait.', schema: { type: 'integer', minimum: 1 } };
  return { ...response, headers: { 'Retry-After': retryAfter } };
}

function jsonResponse(description: string, schema: Json): Json {
  return { description, content: { 'application/json': { schema } } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io });
  return rest;
}

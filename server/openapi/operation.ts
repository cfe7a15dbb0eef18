/** Describes one endpoint for the OpenAPI document. */
import { z } from 'zod';
import { type Endpoint, errorCodesOf } from '../../shared/api/endpoints.ts';
import { type ErrorCode, errorTable } from '../../shared/api/errors.ts';
import type { OperationExamples } from './examples.ts';
import { type Json, type NamedSchemas, pascal, simplify } from './named-schemas.ts';

type OperationDeps = {
  readonly serverUrl: string;
  readonly requests: NamedSchemas;
  readonly responses: NamedSchemas;
  /** Undefined for the endpoints of the admin page. */
  readonly examples: OperationExamples | undefined;
};

const tagNames: Readonly<Record<string, string>> = {
  auth: 'Accounts and sessions',
  subscription: 'Subscriptions',
  license: 'Licenses and devices',
  metrics: 'API keys',
  heartbeat: 'Licenses and devices',
  'binary-hash': 'Installers',
  '.well-known': 'Licenses and devices',
};

/** Returns the section of the document that an endpoint belongs to. */
export function tagOf({ path }: Endpoint): string {
  const [, first = '', second = ''] = path.split('/');
  if (first !== 'admin') return tagNames[first] ?? pascal(first);
  return `${second.charAt(0).toUpperCase()}${second.slice(1).replaceAll('-', ' ')}`;
}

export function describeOperation(name: string, endpoint: Endpoint, deps: OperationDeps): Json {
  const body = requestBody(name, endpoint, deps);
  const inRequest = parameters(endpoint);
  return {
    operationId: name,
    summary: endpoint.summary,
    description: describeRules(endpoint),
    tags: [tagOf(endpoint)],
    ...(endpoint.extension && { 'x-extension': true }),
    // OpenAPI has no scheme for a signature of the body: its headers are parameters.
    security: endpoint.auth === 'none' || endpoint.auth === 'signature' ? [] : [{ [endpoint.auth]: [] }],
    ...(endpoint.outsideApi && { servers: [{ url: deps.serverUrl || '/' }] }),
    ...(inRequest.length > 0 && { parameters: inRequest }),
    ...(body && { requestBody: body }),
    responses: responses(name, endpoint, deps),
  };
}

/** Describes authentication, roles and limits in sentences. */
function describeRules(endpoint: Endpoint): string {
  const { rate, auth, extension, role, confirm, outsideApi } = endpoint;
  const limited = auth === 'signature' ? 'Requests without a valid signature' : 'Requests';
  const limit =
    rate === 'default' || rate === 'admin'
      ? `${limited} are limited per minute.`
      : `Requests are limited per minute, together with those of all endpoints of the limit "${rate}".`;
  return [
    `${endpoint.summary}.`,
    outsideApi ? 'The path is relative to the address of the server.' : '',
    auth === 'bearer' ? 'Needs an access token.' : '',
    auth === 'signature' ? 'Exists where it is configured. The sender signs the body.' : '',
    role ? `For staff with the role ${role} or a higher one.` : '',
    confirm ? 'The password or a passkey must have been given in the last five minutes.' : '',
    extension ? 'An extension of the interface: another server may lack it and respond 404.' : '',
    limit,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function parameters(endpoint: Endpoint): Json[] {
  const { params, query, headers = {}, upload, auth } = endpoint;
  const inPath = Object.entries(fieldsOf(params)).map(([name, schema]) => ({
    name,
    in: 'path',
    required: true,
    description: `The ${name.replaceAll('_', ' ')}.`,
    schema,
  }));
  const inQuery = Object.entries(fieldsOf(query)).map(([name, schema]) => ({ name, in: 'query', schema }));
  const inHeader = Object.entries(headers).map(([name, description]) => ({
    name,
    in: 'header',
    // The hash of an uploaded file, which the server compares, and a signature are required.
    ...((upload !== undefined || auth === 'signature') && { required: true }),
    description,
    schema: { type: 'string' },
  }));
  return [...inPath, ...inQuery, ...inHeader];
}

function fieldsOf(schema: z.ZodObject | undefined): Json {
  if (!schema) return {};
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', override: simplify });
  return properties as Json;
}

function requestBody(name: string, endpoint: Endpoint, { requests, examples }: OperationDeps): Json | undefined {
  const { request, requestOptional = false, upload } = endpoint;
  if (upload !== undefined) {
    return {
      required: true,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    };
  }
  if (!request) return undefined;
  const schema = requests.add(`${pascal(name)}Request`, request);
  const media = { schema, ...(examples?.request !== undefined && { example: examples.request }) };
  return { required: !requestOptional, content: { 'application/json': media } };
}

function responses(name: string, endpoint: Endpoint, { responses: schemas, examples }: OperationDeps): Json {
  const ok = response('Success.', schemas.add(`${pascal(name)}Response`, endpoint.response), examples?.responses);
  const others = Object.entries(endpoint.otherResponses ?? {}).map(([status, schema]) => [
    status,
    response(
      'Nothing is published.',
      schemas.add(`${pascal(name)}Response${status}`, schema),
      examples?.otherResponses,
    ),
  ]);
  const codesByStatus = Map.groupBy(errorCodesOf(endpoint), (code) => errorTable[code].status);
  const errors = [...codesByStatus].map(([status, codes]) => [status, errorResponse(status, codes)]);
  return { 200: withRateHeaders(ok), ...Object.fromEntries(errors), ...Object.fromEntries(others) };
}

type Examples = Readonly<Record<string, unknown>>;

function response(description: string, schema: Json, examples: Examples | undefined): Json {
  const named = Object.entries(examples ?? {}).map(([name, value]) => [name, { value }]);
  const media = { schema, ...(named.length > 0 && { examples: Object.fromEntries(named) }) };
  return { description, content: { 'application/json': media } };
}

function errorResponse(status: number, codes: readonly ErrorCode[]): Json {
  const description = codes.map((code) => `${code}: ${errorTable[code].message}`).join(' ');
  const schema = {
    type: 'object',
    properties: { error: { type: 'string' }, code: { type: 'string', enum: codes } },
    required: ['error', 'code'],
    additionalProperties: false,
  };
  const examples = codes.map((code) => [code, { error: errorTable[code].message, code }]);
  const described = response(description, schema, Object.fromEntries(examples));
  const headers = errorHeaders(status, codes);
  return Object.keys(headers).length === 0 ? described : { ...described, headers };
}

function errorHeaders(status: number, codes: readonly ErrorCode[]): Json {
  const wait = (description: string) => ({
    'Retry-After': { description, schema: { type: 'integer', minimum: 1 } },
  });
  if (status === 401) return { 'WWW-Authenticate': { description: 'RFC 6750.', schema: { type: 'string' } } };
  if (codes.includes('MAX_ACTIVATIONS_REACHED')) {
    return wait(
      'Whole seconds until another device can be activated; absent where one can be released or replaced now.',
    );
  }
  return status === 429 || status === 503 ? wait('Whole seconds to wait.') : {};
}

function withRateHeaders(described: Json): Json {
  const text = (description: string) => ({ description, schema: { type: 'string' } });
  const headers = {
    'RateLimit-Policy': text('The limit. Missing where there is none.'),
    RateLimit: text('What is left of it.'),
  };
  return { ...described, headers };
}

/** The generated sections of `shared/api/README.md`, from the tables of endpoints, error codes, plans and settings. */
import type { z } from 'zod';
import { describeDefault, type SettingName, settingsTable } from '../../server/settings/settings-table.ts';
import { type Endpoint, endpoints, errorCodesOf } from '../../shared/api/endpoints.ts';
import { type ErrorCode, errorCodes, errorTable } from '../../shared/api/errors.ts';
import { integrationEndpoints } from '../../shared/api/integration-endpoints.ts';
import { builtInFeatures, seededPlans } from '../../shared/seeded-features.ts';
import { describeMessage } from './describe-message.ts';
import { markdownTable } from './generated-sections.ts';

const entries: readonly (readonly [string, Endpoint])[] = Object.entries({ ...endpoints, ...integrationEndpoints });

/** Codes that any endpoint may respond with; they are listed once instead of for each endpoint. */
const commonCodes: readonly ErrorCode[] = ['RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'];

export const apiSections = {
  endpoints: endpointTable,
  messages: () => entries.map(([, endpoint]) => describeEndpoint(endpoint)).join('\n\n'),
  'error codes': errorCodeTable,
  plans: planTable,
  'token lifetimes': tokenLifetimeTable,
  'rate limits': rateLimitTable,
} as const satisfies Record<string, () => string>;

function pathOf({ path }: Endpoint): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function endpointTable(): string {
  const rows = entries.map(([, endpoint]) => [
    `\`${endpoint.method}\``,
    `\`${pathOf(endpoint)}\``,
    { bearer: 'Bearer', staff: 'cookie', signature: 'signed body', none: 'none' }[endpoint.auth],
    endpoint.rate === 'default' ? 'its own' : `\`${endpoint.rate}\``,
    `${endpoint.summary}${endpoint.extension ? ' (extension)' : ''}${endpoint.outsideApi ? ', relative to `{base_url}`' : ''}`,
  ]);
  return markdownTable(['method', 'path', 'authentication', 'rate bucket', 'what it does'], rows);
}

function describeEndpoint(endpoint: Endpoint): string {
  const parts = [`### ${endpoint.method} ${pathOf(endpoint)}`, `${endpoint.summary}.`];
  if (endpoint.outsideApi) parts.push('The path is relative to `{base_url}`.');
  if (endpoint.auth === 'signature') parts.push('Exists where it is configured. The sender signs the body.');
  for (const [name, meaning] of Object.entries(endpoint.headers ?? {})) parts.push(`Header \`${name}\`: ${meaning}`);
  if (endpoint.request) {
    parts.push(`Request${endpoint.requestOptional ? ' (the body may be left out)' : ''}:`);
    parts.push(...codeBlocks(endpoint.request, 'request'));
  }
  parts.push('Response, status 200:', ...codeBlocks(endpoint.response, 'response'));
  for (const [status, schema] of Object.entries(endpoint.otherResponses ?? {})) {
    parts.push(`Response, status ${status}:`, ...codeBlocks(schema, 'response'));
  }
  if (endpoint.invalidCodes) parts.push(`Codes with \`valid: false\`: ${listCodes(endpoint.invalidCodes)}.`);
  const own = errorCodesOf(endpoint).filter((code) => !commonCodes.includes(code));
  if (own.length > 0) parts.push(`Errors: ${listCodes(own)}.`);
  return parts.join('\n\n');
}

function codeBlocks(schema: z.ZodType, direction: 'request' | 'response'): string[] {
  return describeMessage(schema, direction).map((variant) => `\`\`\`\n${variant}\n\`\`\``);
}

function listCodes(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\``).join(', ');
}

function errorCodeTable(): string {
  const rows = errorCodes.map((code) => [`\`${code}\``, String(errorTable[code].status), errorTable[code].message]);
  return markdownTable(['code', 'status', 'default message'], rows);
}

function planTable(): string {
  const names = Object.keys(seededPlans) as (keyof typeof seededPlans)[];
  const flags = builtInFeatures.map((flag) => [
    `\`${flag}\``,
    ...names.map((name) => (seededPlans[name][flag] ? 'on' : 'off')),
  ]);
  const devices = ['`max_devices`', ...names.map((name) => String(seededPlans[name].max_devices))];
  return markdownTable(['feature', ...names.map((name) => `\`${name}\``)], [...flags, devices]);
}

function tokenLifetimeTable(): string {
  return markdownTable(
    ['token', 'default', 'setting'],
    [
      ['access token', ...settingCells('LATCHKEY_ACCESS_TOKEN_TTL')],
      ['refresh token', ...settingCells('LATCHKEY_REFRESH_TOKEN_TTL')],
    ],
  );
}

function rateLimitTable(): string {
  return markdownTable(
    ['bucket', 'default, per minute', 'setting'],
    [
      ['`login`', ...settingCells('LATCHKEY_RATE_LOGIN')],
      ['`signup`', ...settingCells('LATCHKEY_RATE_SIGNUP')],
      ['`license` (all `/license/*` endpoints together)', ...settingCells('LATCHKEY_RATE_LICENSE')],
      ['`key_validate`', ...settingCells('LATCHKEY_RATE_KEY_VALIDATE')],
      ['every other endpoint by itself', ...settingCells('LATCHKEY_RATE_DEFAULT')],
    ],
  );
}

function settingCells(name: SettingName): string[] {
  return [describeDefault(settingsTable[name]), `\`${name}\``];
}

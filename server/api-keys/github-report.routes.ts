/** `/metrics/api-key/github`: accepts reports in the partner format of GitHub's secret scanning, if configured. */
import { readFile } from 'node:fs/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { apiRoot } from '../../shared/api/endpoints.ts';
import { isWellFormedApiKey } from '../../shared/formats/api-key.ts';
import { ApiError } from '../errors.ts';
import { keepRawBodies, parseJson } from '../http/json-body.ts';
import type { EndpointLimit, RequestLimiter } from '../http/request-limiter.ts';
import { parseRequest } from '../http/zod-compilers.ts';
import type { ApiKeyReportService } from './api-key-report.service.ts';
import { type GithubSignature, isSignedByGithub } from './github-signature.ts';

type GithubRouteDeps = {
  readonly limiter: RequestLimiter;
  readonly apiKeyReports: ApiKeyReportService;
  /** File with the JSON of GitHub's public keys. */
  readonly keysFile: string;
};

const maxBodyBytes = 256 * 1024;

const retryAfterSeconds = 60;

/** A report. GitHub sends a few findings at a time. */
const findings = z
  .array(z.object({ token: z.string(), type: z.string(), url: z.string().nullish(), source: z.string().nullish() }))
  .max(500);

type Feedback = { readonly token_raw: string; readonly token_type: string; readonly label: string };

/** Adds the route. Only requests not signed by GitHub are rate limited. */
export function addGithubReportRoute(app: FastifyInstance, deps: GithubRouteDeps): void {
  const limit = deps.limiter.limitOf('default', 'github_report');
  app.register(async (scope) => {
    keepRawBodies(scope);
    scope.post(`${apiRoot}/metrics/api-key/github`, { bodyLimit: maxBodyBytes }, (request) =>
      receive(request, { ...deps, limit }),
    );
  });
}

async function receive(
  request: FastifyRequest,
  { limit, keysFile, apiKeyReports }: GithubRouteDeps & { readonly limit: EndpointLimit },
): Promise<Feedback[]> {
  const { headers, ip: address } = request;
  const bytes = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
  const signature = {
    keyId: String(headers['github-public-key-identifier'] ?? ''),
    signature: String(headers['github-public-key-signature'] ?? ''),
  };
  if (!(await isSigned(bytes, signature, keysFile))) {
    await limit.countAddress(request);
    throw new ApiError('INVALID_TOKEN', 'The signature of the report is not valid.');
  }
  const feedback: Feedback[] = [];
  for (const { token, type, url } of parseRequest(findings, parseJson(bytes))) {
    const place = describePlace(url, token);
    const by = { actor: { kind: 'provider', name: 'GitHub' }, address } as const;
    const wasValid = await apiKeyReports.report({ apiKey: token, source: 'github', place }, by);
    const isOurs = wasValid || isWellFormedApiKey(token);
    feedback.push({ token_raw: token, token_type: type, label: isOurs ? 'true_positive' : 'false_positive' });
  }
  return feedback;
}

/** Throws `ApiError` SERVICE_UNAVAILABLE if the key file is missing or invalid, so that GitHub tries again. */
async function isSigned(body: Buffer, signature: GithubSignature, keysFile: string): Promise<boolean> {
  try {
    return isSignedByGithub(body, signature, await readFile(keysFile, 'utf8'));
  } catch {
    throw new ApiError('SERVICE_UNAVAILABLE', undefined, retryAfterSeconds);
  }
}

/** Returns the address of the file without parts that could contain a secret; `undefined` if there is none. */
function describePlace(url: string | null | undefined, token: string): string | undefined {
  if (!url || !URL.canParse(url)) return undefined;
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.replaceAll(token, '…').slice(0, 300);
}

/** `/metrics/api-key/github`: accepts reports in the partner format of GitHub's secret scanning, if configured. */
import { readFile } from 'node:fs/promises';
import type { GithubReportResponse } from '../../shared/api/github-report.ts';
import { isWellFormedApiKey } from '../../shared/formats/api-key.ts';
import { ApiError } from '../errors.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Signature } from '../http/signed-body.ts';
import type { ApiKeyReportService } from './api-key-report.service.ts';
import { type GithubSignature, isSignedByGithub } from './github-signature.ts';

type GithubRouteDeps = {
  readonly apiKeyReports: ApiKeyReportService;
  /** File with the JSON of GitHub's public keys. */
  readonly keysFile: string;
};

const retryAfterSeconds = 60;

export function addGithubReportRoute(routes: EndpointRoutes, { apiKeyReports, keysFile }: GithubRouteDeps): void {
  const signature = {
    of: 'report',
    verify: ({ headers }, body) => {
      const keyId = String(headers['github-public-key-identifier'] ?? '');
      const signature = String(headers['github-public-key-signature'] ?? '');
      return isSigned(body, { keyId, signature }, keysFile);
    },
  } satisfies Signature;
  routes.addSigned('github_report', signature, async ({ body, ip: address }) => {
    const feedback: GithubReportResponse = [];
    for (const { token, type, url } of body) {
      const place = describePlace(url, token);
      const by = { actor: { kind: 'provider', name: 'GitHub' }, address } as const;
      const wasValid = await apiKeyReports.report({ apiKey: token, source: 'github', place }, by);
      const isOurs = wasValid || isWellFormedApiKey(token);
      feedback.push({ token_raw: token, token_type: type, label: isOurs ? 'true_positive' : 'false_positive' });
    }
    return feedback;
  });
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

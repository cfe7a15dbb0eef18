/** `/metrics/api-key/github`: accepts reports in the partner format of GitHub's secret scanning, if configured. */
import { createPublicKey, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { GithubReportResponse } from '../../shared/api/github-report.ts';
import { isWellFormedApiKey } from '../../shared/formats/api-key.ts';
import { ApiError } from '../errors.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Signature } from '../http/signed-body.ts';
import type { ApiKeyReportService } from './api-key-report.service.ts';

type GithubRouteDeps = {
  readonly apiKeyReports: ApiKeyReportService;
  /** File with the JSON of GitHub's public keys. */
  readonly keysFile: string;
};

/** `https://api.github.com/meta/public_keys/secret_scanning`. */
const publishedKeys = z.object({
  public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(100),
});

const retryAfterSeconds = 60;

export function addGithubReportRoute(routes: EndpointRoutes, { apiKeyReports, keysFile }: GithubRouteDeps): void {
  const signature: Signature = {
    of: 'report',
    verify: ({ headers }, body) => isSigned(body, headers, keysFile),
  };
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

/**
 * Returns true if the body is signed (ECDSA) with the published key that the headers name. Throws `ApiError`
 * SERVICE_UNAVAILABLE if the key file is missing or invalid, so that GitHub tries again.
 */
async function isSigned(body: Buffer, headers: FastifyRequest['headers'], keysFile: string): Promise<boolean> {
  const keyId = String(headers['github-public-key-identifier'] ?? '');
  const signature = Buffer.from(String(headers['github-public-key-signature'] ?? ''), 'base64');
  try {
    const { public_keys } = publishedKeys.parse(JSON.parse(await readFile(keysFile, 'utf8')));
    const found = public_keys.find(({ key_identifier }) => key_identifier === keyId);
    if (!found) return false;
    const key = createPublicKey(found.key);
    return key.asymmetricKeyType === 'ec' && verify('sha256', body, key, signature);
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

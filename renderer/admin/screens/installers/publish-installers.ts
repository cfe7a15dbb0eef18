/**
 * Publishes a version: all files are first hashed both here and on the server, and only if the hashes agree is
 * everything published at once.
 */
import type { InstallerPlatform } from '../../../../shared/api/installer.ts';
import { normalizeInstallerHash } from '../../../../shared/formats/installer-hash.ts';
import { type Failure, fail, type Result, succeed } from '../../../../shared/ipc/result.ts';
import { failureNow } from '../../../run-command.ts';
import { callAdmin, withPrompts } from '../../api/call-admin.ts';
import { sendFile } from '../../api/send-file.ts';
import { hashFile } from './hash-file.ts';
import { type InstallerSources, platforms } from './installer-source.ts';

export type PublishStep = 'hashing' | 'uploading';

export type StepProgress = {
  readonly step: PublishStep;
  readonly platform: InstallerPlatform;
  readonly doneBytes: number;
};

type PublishOptions = {
  readonly signal: AbortSignal;
  /** `null` after the last file; from then on, publishing cannot be canceled. */
  readonly onProgress: (progress: StepProgress | null) => void;
};

type Hashes = Partial<Record<InstallerPlatform, string>>;

/**
 * Publishes a version. Never throws. HASHES_DIFFER if the server received a different file, FILE_CHANGED if a file can
 * no longer be read, UPLOAD_INTERRUPTED if only the upload got no response, CANCELED if `signal` was aborted. After any
 * of these, or any other failure before the last call, nothing has been published.
 */
export async function publishInstallers(
  version: string,
  sources: InstallerSources,
  options: PublishOptions,
): Promise<Result<null>> {
  const hashes: Hashes = {};
  for (const platform of platforms) {
    const source = sources[platform];
    if (source?.kind === 'hash') hashes[platform] = normalizeInstallerHash(source.text) ?? source.text;
    if (source?.kind !== 'file') continue;
    const compared = await compareFile(platform, source.file, options);
    if (!compared.ok) return compared;
    hashes[platform] = `sha256:${compared.value}`;
  }
  options.onProgress(null);
  const published = await callAdmin('publishInstallers', { body: { version: version.trim(), hashes } });
  return published.ok ? succeed(null) : published;
}

/** Returns the hash on which both sides agree. */
async function compareFile(
  platform: InstallerPlatform,
  file: File,
  { signal, onProgress }: PublishOptions,
): Promise<Result<string>> {
  try {
    const report = (step: PublishStep) => (doneBytes: number) => onProgress({ step, platform, doneBytes });
    report('hashing')(0);
    const sha256 = await hashFile(file, { signal, onProgress: report('hashing') });
    // A response that arrives during the upload can be lost, so the session is checked first.
    const session = await callAdmin('staffSession', { signal });
    if (!session.ok) return session;
    report('uploading')(0);
    const sent = await withPrompts('compareInstaller', () =>
      sendFile('compareInstaller', { file, sha256, signal, onProgress: report('uploading') }),
    );
    if (sent.ok) return sent.value.sha256 === sha256 ? succeed(sha256) : fail(hashesDiffer(sha256, sent.value.sha256));
    if (sent.failure.code === 'VALIDATION_ERROR') return fail({ ...sent.failure, code: 'HASHES_DIFFER' });
    if (sent.failure.code !== 'SERVER_UNREACHABLE' || sent.failure.respondedInstead !== undefined) return sent;
    // The browser aborts the upload of a file that changed in the meantime; reading it then throws.
    await file.slice(0, 1).arrayBuffer();
    // A browser does not say why an upload failed, so a short call finds out what is in the way.
    const reached = await callAdmin('staffSession', { signal });
    return reached.ok ? fail(failureNow('UPLOAD_INTERRUPTED', sent.failure.message)) : reached;
  } catch (error) {
    return fail(failureNow(signal.aborted ? 'CANCELED' : 'FILE_CHANGED', String(error)));
  }
}

function hashesDiffer(here: string, there: string): Failure {
  return failureNow('HASHES_DIFFER', `${here} here, ${there} there`);
}

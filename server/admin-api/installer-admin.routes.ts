/** Admin page endpoints for installers. */
import type { AuditContext } from '../audit/audit-event.ts';
import { ApiError } from '../errors.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { UploadedFile } from '../http/file-upload.ts';
import type { Services } from '../services.ts';

type Hashes = Parameters<Services['installers']['publish']>[1];

export function addInstallerAdminRoutes(routes: EndpointRoutes, { installers }: Services): void {
  const publish = async (version: string, hashes: Hashes, by: AuditContext) => ({
    installers: await installers.publish(version, hashes, by),
  });
  routes.add('installers', async () => ({ installers: (await installers.get()) ?? null }));
  routes.add('publishInstallers', ({ body, by }) => publish(body.version, body.hashes, by));
  routes.add('uploadInstaller', ({ params, body, headers, by }) => {
    requireSameFile(headers['x-sha256'], body);
    return publish(params.version, { [params.platform]: `sha256:${body.sha256}` }, by);
  });
  routes.add('compareInstaller', ({ body, headers }) => {
    requireSameFile(headers['x-sha256'], body);
    return body;
  });
  routes.add('clearInstallers', ({ by }) => installers.clear(by));
}

/** Prevents publishing a file that is empty or was damaged in transit. Throws `ApiError` VALIDATION_ERROR. */
function requireSameFile(sent: string | string[] | undefined, { sha256, bytes }: UploadedFile): void {
  if (typeof sent !== 'string') throw new ApiError('VALIDATION_ERROR', 'The header x-sha256 is required.');
  if (bytes === 0) throw new ApiError('VALIDATION_ERROR', 'The file is empty.');
  if (sent.toLowerCase().replace(/^sha256:/, '') === sha256) return;
  throw new ApiError('VALIDATION_ERROR', 'The file that arrived is not the one that was sent. Send it again.');
}

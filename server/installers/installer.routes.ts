/** Endpoints for installer hashes. */
import { OtherResponse } from '../http/endpoint-handler.ts';
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';

const missing = {
  error: 'Not configured',
  message: 'No installer hashes are published on this server.',
};

export function addInstallerRoutes(routes: EndpointRoutes, { installers }: Services): void {
  routes.add('installerHashes', async () => (await installers.get()) ?? new OtherResponse(404, missing));
  routes.add('installerByHash', ({ params }) => installers.find(params.sha256));
}

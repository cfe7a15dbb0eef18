/** Endpoints for installer hashes. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';

const missing = {
  error: 'Not configured',
  message: 'No installer hashes are published on this server.',
};

export function addInstallerRoutes(routes: EndpointRoutes, { installers }: Services): void {
  routes.add('installerHashes', async (_input, reply) => {
    const published = await installers.get();
    if (published === undefined) reply.code(404);
    return published ?? missing;
  });
  routes.add('installerByHash', ({ params }) => installers.find(params.sha256));
}

/** Admin page endpoints for the update feed. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';
import { toUpdateFeedVersion } from '../updates/describe-feed.ts';

export function addUpdateAdminRoutes(routes: EndpointRoutes, { updateFeed }: Services): void {
  const respond = async () => {
    const versions = await updateFeed.list();
    return {
      versions: versions.map((version) => toUpdateFeedVersion(version, updateFeed.listMissing(version.files))),
    };
  };
  routes.add('updateFeed', respond);
  routes.add('rolloutUpdate', async ({ params, body, by }) => {
    await updateFeed.rollout(params.version, body.percent, by);
    return respond();
  });
  routes.add('withdrawUpdate', async ({ params, by }) => {
    await updateFeed.withdraw(params.version, by);
    return respond();
  });
}

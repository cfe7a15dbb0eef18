/** The endpoints of the admin page about the update feed. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import { byStaff } from '../staff/signed-in-staff.ts';
import { toUpdateFeedVersion } from '../updates/describe-feed.ts';
import type { UpdateFeedService } from '../updates/update-feed.service.ts';

export function addUpdateAdminRoutes(
  routes: EndpointRoutes,
  { updateFeed }: { readonly updateFeed: UpdateFeedService },
): void {
  const respond = async () => {
    const versions = await updateFeed.list();
    return {
      versions: versions.map((version) => toUpdateFeedVersion(version, updateFeed.listMissing(version.files))),
    };
  };
  routes.add('updateFeed', respond);
  routes.add('rolloutUpdate', async ({ params, body, staff, address }) => {
    await updateFeed.rollout(params.version, body.percent, byStaff(staff, address));
    return respond();
  });
  routes.add('withdrawUpdate', async ({ params, staff, address }) => {
    await updateFeed.withdraw(params.version, byStaff(staff, address));
    return respond();
  });
}

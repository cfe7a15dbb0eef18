/** The endpoints of the admin page about features. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { FeatureService } from '../plans/feature.service.ts';
import { byStaff } from '../staff/signed-in-staff.ts';

export function addFeatureAdminRoutes(
  routes: EndpointRoutes,
  { features }: { readonly features: FeatureService },
): void {
  routes.add('featureRecords', async () => ({ features: await features.list() }));
  routes.add('setFeature', ({ params, body, staff, address }) =>
    features.set(params.name, body, byStaff(staff, address)),
  );
  routes.add('removeFeature', ({ params, body, staff, address }) =>
    features.remove(params.name, { fromPlans: body.from_plans }, byStaff(staff, address)),
  );
}

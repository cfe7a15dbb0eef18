/** The endpoints of the admin page about features. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { FeatureService } from '../plans/feature.service.ts';
import type { PolicyPreviewService } from '../policy-preview/policy-preview.service.ts';
import { byStaff } from '../staff/signed-in-staff.ts';

type Services = { readonly features: FeatureService; readonly policyPreview: PolicyPreviewService };

export function addFeatureAdminRoutes(routes: EndpointRoutes, { features, policyPreview }: Services): void {
  routes.add('featureRecords', async () => ({ features: await features.list() }));
  routes.add('setFeature', ({ params, body, staff, address }) =>
    features.set(params.name, body, byStaff(staff, address)),
  );
  routes.add('removeFeature', ({ params, body, staff, address }) => {
    const options = { fromPlans: body.from_plans };
    if (body.dry_run) return policyPreview.previewFeatureRemoval(params.name, options);
    return features.remove(params.name, options, byStaff(staff, address));
  });
}

/** The endpoints of the admin page about features. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { FeatureService } from '../plans/feature.service.ts';
import type { PolicyPreviewService } from '../policy-preview/policy-preview.service.ts';

type Services = { readonly features: FeatureService; readonly policyPreview: PolicyPreviewService };

export function addFeatureAdminRoutes(routes: EndpointRoutes, { features, policyPreview }: Services): void {
  routes.add('featureRecords', async () => ({ features: await features.list() }));
  routes.add('setFeature', ({ params, body, by }) => features.set(params.name, body, by));
  routes.add('removeFeature', ({ params, body, by }) => {
    const options = { fromPlans: body.from_plans };
    if (body.dry_run) return policyPreview.previewFeatureRemoval(params.name, options);
    return features.remove(params.name, options, by);
  });
}

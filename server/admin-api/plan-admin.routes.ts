/** Admin page endpoints for plans and their features. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';

export function addPlanAdminRoutes(routes: EndpointRoutes, { plans, features, policyPreview }: Services): void {
  routes.add('plans', async () => ({ plans: await plans.list() }));
  routes.add('setPlan', ({ params, body: { dry_run, ...change }, by }) => {
    if (dry_run) return policyPreview.previewPlan(params.name, change);
    return plans.set(params.name, change, by);
  });
  routes.add('featureRecords', async () => ({ features: await features.list() }));
  routes.add('setFeature', ({ params, body, by }) => features.set(params.name, body, by));
  routes.add('removeFeature', ({ params, body, by }) => {
    const options = { fromPlans: body.from_plans };
    if (body.dry_run) return policyPreview.previewFeatureRemoval(params.name, options);
    return features.remove(params.name, options, by);
  });
}

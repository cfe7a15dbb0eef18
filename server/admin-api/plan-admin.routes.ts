/** The endpoints of the admin page about plans. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { PlanService } from '../plans/plan.service.ts';
import type { PolicyPreviewService } from '../policy-preview/policy-preview.service.ts';

type Services = { readonly plans: PlanService; readonly policyPreview: PolicyPreviewService };

export function addPlanAdminRoutes(routes: EndpointRoutes, { plans, policyPreview }: Services): void {
  routes.add('plans', async () => ({ plans: await plans.list() }));
  routes.add('setPlan', ({ params, body, by }) => {
    const { max_devices: maxDevices, new_devices_per_month: newDevicesPerMonth, features } = body;
    const change = { maxDevices, newDevicesPerMonth, leaseDays: body.lease_days, features };
    if (body.dry_run) return policyPreview.previewPlan(params.name, change);
    return plans.set(params.name, change, by);
  });
}

/** Admin endpoints for plans. */
import type { Endpoint } from '../endpoints.ts';
import { owner, viewer } from './access.ts';
import { nameParams } from './fields.ts';
import { planList, setPlanRequest, setPlanResponse } from './plans.ts';

export const planEndpoints = {
  plans: {
    summary: 'Every plan',
    method: 'GET',
    path: '/admin/plans',
    ...viewer,
    response: planList,
    errors: [],
  },
  setPlan: {
    summary: 'Change a plan, or add one; with `dry_run`, what that would change',
    method: 'PUT',
    path: '/admin/plans/:name',
    ...owner,
    params: nameParams,
    request: setPlanRequest,
    response: setPlanResponse,
    errors: [],
  },
} as const satisfies Record<string, Endpoint>;

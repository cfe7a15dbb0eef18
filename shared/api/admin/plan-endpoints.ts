/** Admin endpoints for plans. */
import type { Endpoint } from '../endpoints.ts';
import { owner, viewer } from './access.ts';
import { nameParams } from './fields.ts';
import { planList, setPlanRequest, setPlanResponse } from './plans.ts';

export const planEndpoints = {
  plans: {
    summary: 'List plans',
    method: 'GET',
    path: '/admin/plans',
    ...viewer,
    response: planList,
    errors: [],
  },
  setPlan: {
    summary: 'Add or change a plan; with `dry_run`, only preview the effect',
    method: 'PUT',
    path: '/admin/plans/:name',
    ...owner,
    params: nameParams,
    request: setPlanRequest,
    response: setPlanResponse,
    errors: [],
  },
} as const satisfies Record<string, Endpoint>;

/** Plans. */
import { z } from 'zod';
import type { Endpoint } from '../endpoints.ts';
import { owner, viewer } from './access.ts';
import { planList, planRecord, setPlanRequest } from './plans.ts';

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
    summary: 'Change a plan, or add one',
    method: 'PUT',
    path: '/admin/plans/:name',
    ...owner,
    params: z.object({ name: z.string() }),
    request: setPlanRequest,
    response: planRecord,
    errors: [],
  },
} as const satisfies Record<string, Endpoint>;

/** Decides for each request to an endpoint whether it is admitted: by its rate limit, its token, or its session and role. */
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../../shared/api/endpoints.ts';
import { runWithBudget } from '../request-budget.ts';
import type { SignedInStaff } from '../staff/signed-in-staff.ts';
import type { BearerAuth, SignedInUser } from './bearer-auth.ts';
import type { EndpointLimit } from './request-limiter.ts';
import { stateOf } from './request-state.ts';
import type { StaffAuth } from './staff-auth.ts';

/** Throws, or rejects, an `ApiError` for a request that is not admitted. */
export type Admit = (request: FastifyRequest) => void | Promise<void>;

export type AdmissionDeps = {
  readonly limit: EndpointLimit;
  readonly auth: BearerAuth;
  readonly staffAuth: StaffAuth;
};

export type AdmittedEndpoint = Pick<Endpoint, 'auth' | 'role' | 'confirm'> & {
  /** Whether the admin page uses it. */
  readonly isAdmin: boolean;
};

/**
 * An authenticated request counts against its user, any other, also one with an invalid token or without a session,
 * against its address.
 */
export function createAdmission(endpoint: AdmittedEndpoint, deps: AdmissionDeps): Admit {
  const { limit, auth, staffAuth } = deps;
  switch (endpoint.auth) {
    case 'bearer':
      return (request) => admitUser(request, limit, auth);
    case 'staff':
      return (request) => runWithBudget(stateOf(request).budget, () => admitStaff(request, endpoint, deps));
    case 'none':
      if (!endpoint.isAdmin) return (request) => limit.countAddress(request);
      return async (request) => {
        await limit.countAddress(request);
        staffAuth.requireSameOrigin(request);
      };
  }
}

function admitUser(request: FastifyRequest, limit: EndpointLimit, auth: BearerAuth): void | Promise<void> {
  const state = stateOf(request);
  const user = auth.authenticateFromMemory(request.headers);
  if (user) {
    state.user = user;
    return limit.countUser(request, user.id);
  }
  return runWithBudget(state.budget, () => authenticateAndCount(request, limit, auth));
}

async function authenticateAndCount(request: FastifyRequest, limit: EndpointLimit, auth: BearerAuth): Promise<void> {
  let user: SignedInUser;
  try {
    user = await auth.authenticate(request.headers);
  } catch (error) {
    await limit.countAddress(request);
    throw error;
  }
  stateOf(request).user = user;
  await limit.countUser(request, user.id);
}

async function admitStaff(request: FastifyRequest, endpoint: AdmittedEndpoint, deps: AdmissionDeps): Promise<void> {
  const { limit, staffAuth } = deps;
  const { role = 'owner', confirm = false } = endpoint;
  let staff: SignedInStaff;
  try {
    staffAuth.requireSameOrigin(request);
    staff = await staffAuth.authenticate(request);
  } catch (error) {
    await limit.countAddress(request);
    throw error;
  }
  stateOf(request).staff = staff;
  await limit.countUser(request, staff.id);
  staffAuth.requirePermission(staff, { role, confirm });
}

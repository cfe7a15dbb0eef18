/** Decides whether a request to an endpoint is admitted: by its rate limit, token, signature, or session and role. */
import type { FastifyRequest } from 'fastify';
import type { Endpoint } from '../../shared/api/endpoints.ts';
import type { EndpointLimit } from './request-limiter.ts';
import { parseRawBody, requireSignature, type Signature } from './signed-body.ts';
import type { Requirement, StaffAuth } from './staff-auth.ts';
import type { UserAuth } from './user-auth.ts';

/** The checks of an endpoint. Each rejects with an `ApiError` if the request is not admitted. */
type Admission = {
  /** Runs before the body is read. */
  readonly onRequest?: Admit;
  /** Runs when the body has arrived as bytes, which the sender must have signed. */
  readonly preValidation?: Admit;
  /**
   * Runs once the body has arrived, which may take long: somebody who was signed out meanwhile, or lost a role, is no
   * longer admitted. Does not count against any limit.
   */
  readonly preHandler?: Admit;
};

type Admit = (request: FastifyRequest) => Promise<void>;

type AdmissionDeps = {
  readonly limit: EndpointLimit;
  readonly auth: UserAuth;
  readonly staffAuth: StaffAuth;
  readonly signature: Signature | undefined;
};

type AdmittedEndpoint = Pick<Endpoint, 'method' | 'path' | 'auth' | 'role' | 'confirm'> & {
  /** True if only a page of this server may send the request. */
  readonly isBrowser: boolean;
};

/**
 * Creates the checks of an endpoint. An authenticated request counts against its user; any other, including one with an
 * invalid token or no session, counts against its address. A signed request does not count, since its sender sends as
 * many as its users cause.
 */
export function createAdmission(endpoint: AdmittedEndpoint, deps: AdmissionDeps): Admission {
  const { limit, auth, staffAuth, signature } = deps;
  const hasBody = endpoint.method !== 'GET';
  switch (endpoint.auth) {
    case 'bearer': {
      const authenticate = async (request: FastifyRequest) => {
        request.user = await auth.authenticate(request);
      };
      return {
        onRequest: (request) => admitUser(request, limit, auth),
        ...(hasBody && { preHandler: authenticate }),
      };
    }
    case 'staff': {
      const required = requirementOf(endpoint);
      const authorize = async (request: FastifyRequest) => {
        request.staff = await staffAuth.authenticateAgain(request.staff);
        staffAuth.requirePermission(request.staff, required);
      };
      return { onRequest: (request) => admitStaff(request, required, deps), ...(hasBody && { preHandler: authorize }) };
    }
    case 'signature':
      if (!signature) throw new TypeError(`${endpoint.path} lacks the signature that its requests need`);
      return { preValidation: (request) => admitSigned(request, limit, signature) };
    case 'none':
      return {
        onRequest: async (request) => {
          await limit.countAddress(request);
          if (endpoint.isBrowser) staffAuth.requireSameOrigin(request);
        },
      };
  }
}

/** Returns what an endpoint for staff requires; by default the role owner. */
export function requirementOf({ role, confirm }: Pick<Endpoint, 'role' | 'confirm'>): Requirement {
  return { role: role ?? 'owner', confirm: confirm ?? false };
}

async function admitUser(request: FastifyRequest, limit: EndpointLimit, auth: UserAuth): Promise<void> {
  const user = await countRefusal(request, limit, () => auth.authenticate(request));
  request.user = user;
  await limit.countUser(request, user.id);
}

async function admitStaff(
  request: FastifyRequest,
  required: Requirement,
  { limit, staffAuth }: AdmissionDeps,
): Promise<void> {
  const staff = await countRefusal(request, limit, async () => {
    staffAuth.requireSameOrigin(request);
    return staffAuth.authenticate(request);
  });
  request.staff = staff;
  await limit.countUser(request, staff.id);
  staffAuth.requirePermission(staff, required);
}

async function admitSigned(request: FastifyRequest, limit: EndpointLimit, signature: Signature): Promise<void> {
  await countRefusal(request, limit, () => requireSignature(request, signature));
  parseRawBody(request);
}

/** Counts the request against its address if `authenticate` rejects it. */
async function countRefusal<T>(
  request: FastifyRequest,
  limit: EndpointLimit,
  authenticate: () => Promise<T>,
): Promise<T> {
  try {
    return await authenticate();
  } catch (error) {
    await limit.countAddress(request);
    throw error;
  }
}

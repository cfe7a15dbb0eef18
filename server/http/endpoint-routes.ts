/** Registers each entry of the endpoint tables as a route with its rate limit, authentication, schemas and response. */
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { adminEndpoints } from '../../shared/api/admin-endpoints.ts';
import { type Endpoint, fullPathOf } from '../../shared/api/endpoints.ts';
import type { SignedEndpointName } from '../../shared/api/integration-endpoints.ts';
import { ApiError } from '../errors.ts';
import { CsvDownloads, type CsvDownloadsDeps } from './csv-downloads.ts';
import { createAdmission, requirementOf } from './endpoint-admission.ts';
import {
  type AnyEndpointName,
  type AnyHandler,
  CsvFile,
  findEndpoint,
  type Handler,
  success,
} from './endpoint-handler.ts';
import { FileUploads } from './file-upload.ts';
import type { RequestLimiter } from './request-limiter.ts';
import { keepRawBody, type Signature } from './signed-body.ts';
import type { StaffAuth } from './staff-auth.ts';
import type { UserAuth } from './user-auth.ts';

type EndpointRoutesDeps = Pick<CsvDownloadsDeps, 'database' | 'auditLog'> & {
  readonly app: FastifyInstance;
  readonly limiter: RequestLimiter;
  readonly auth: UserAuth;
  readonly staffAuth: StaffAuth;
};

export class EndpointRoutes {
  readonly #deps: EndpointRoutesDeps;
  readonly #uploads: FileUploads;
  readonly #downloads: CsvDownloads;

  constructor(deps: EndpointRoutesDeps) {
    this.#deps = deps;
    this.#uploads = new FileUploads();
    this.#downloads = new CsvDownloads(deps);
  }

  /** Adds one endpoint: `routes.add('heartbeat', ({ body, user }) => heartbeats.record(user.id, body.device_id))`. */
  add<N extends Exclude<AnyEndpointName, SignedEndpointName>>(name: N, handler: Handler<N>): void {
    const { app } = this.#deps;
    const route = this.#createRoute(name, handler);
    if (findEndpoint(name).upload === undefined) app.route(route);
    else app.register(async (scope) => this.#uploads.parseIn(scope).route(route));
  }

  /** Adds an endpoint whose requests are signed by their sender. */
  addSigned<N extends SignedEndpointName>(name: N, signature: Signature, handler: Handler<N>): void {
    const route = this.#createRoute(name, handler, signature);
    this.#deps.app.register(async (scope) => keepRawBody(scope).route(route));
  }

  #createRoute(name: AnyEndpointName, handler: AnyHandler, signature?: Signature): RouteOptions {
    const endpoint = findEndpoint(name);
    const { limiter } = this.#deps;
    const isAdmin = name in adminEndpoints;
    const isBrowser = isAdmin || endpoint.setsCookie === true;
    const limit = limiter(endpoint.rate, name);
    return {
      method: endpoint.method,
      url: fullPathOf(endpoint),
      schema: schemaOf(endpoint),
      config: { endpoint: name, isUpload: endpoint.upload !== undefined },
      ...(endpoint.upload !== undefined && { bodyLimit: endpoint.upload }),
      ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
      ...createAdmission({ ...endpoint, isBrowser }, { ...this.#deps, limit, signature }),
      ...(isAdmin && { onError: async (request, _reply, error) => this.#recordRefusal(name, request, error) }),
      handler: async (request, reply) => {
        request.deadline.require();
        const answer: unknown = (await handler(request as never, reply)) ?? success;
        const { staff } = request;
        if (answer instanceof CsvFile && staff !== null) {
          const file = this.#downloads.start(answer, { staff, request, required: requirementOf(endpoint) });
          reply.type('text/csv; charset=utf-8');
          reply.header('content-disposition', `attachment; filename="${answer.name}.csv"`);
          return file;
        }
        return answer;
      },
    };
  }

  #recordRefusal(endpoint: string, { staff, by }: FastifyRequest, error: Error): void {
    const isRefusal = error instanceof ApiError && error.code === 'FORBIDDEN';
    if (staff && isRefusal) this.#deps.staffAuth.recordRefusal(staff, endpoint, by);
  }
}

function schemaOf({ request, requestOptional, params, query, response, otherResponses }: Endpoint) {
  return {
    ...(request && { body: requestOptional ? request.prefault({}) : request }),
    ...(params && { params }),
    ...(query && { querystring: query }),
    response: { 200: response, ...otherResponses },
  };
}

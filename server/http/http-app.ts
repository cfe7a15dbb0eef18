/** Creates a Fastify app with what applies to all routes: timeouts, limits, headers, errors and the request log. */
import type { ServerOptions } from 'node:http';
import cookie from '@fastify/cookie';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify';
import { basePathOf, withoutBasePath } from '../base-path.ts';
import type { CommonDeps } from '../common-deps.ts';
import type { Config } from '../config.ts';
import { deadlineMs } from '../deadline.ts';
import { ApiError } from '../errors.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import type { Scheduler } from '../scheduler.ts';
import { readTlsCertificate } from '../tls-certificate.ts';
import { CertificateReloader } from './certificate-reloader.ts';
import { createIsTrusted, findClientAddresses } from './client-address.ts';
import { ConnectionLimiter, decideConnectionLimits, readDescriptorLimit } from './connection-limits.ts';
import { closeConnectionsWhenStopping, rejectExpectation, sendClientError } from './connections.ts';
import { sendFrameworkError, setErrorHandler } from './error-handler.ts';
import { ErrorLog } from './error-log.ts';
import { addJsonParser, bodyLimitBytes } from './json-body.ts';
import { addRequestDecorators } from './request-decorators.ts';
import { createRequestIds } from './request-id.ts';
import { addRequestLog } from './request-log.ts';
import { addCommonHeaders } from './response-headers.ts';
import { handleUnknownRoutes } from './unknown-route.ts';
import { setZodCompilers } from './zod-compilers.ts';

const headersTimeoutMs = 10_000;
/** For a file that is uploaded; any other body has less time, see `addRequestDecorators`. */
const requestTimeoutMs = 60 * 60 * 1000;
const idleTimeoutMs = 75_000;
const hsts = 'max-age=31536000';

export type HttpAppDeps = Pick<CommonDeps, 'config' | 'clock' | 'random' | 'scheduler'> & {
  readonly logger: FastifyBaseLogger;
  readonly requestMetrics: RequestMetrics;
  /** How long the work of a request may take. */
  readonly deadlineMs?: number;
};

/** The caller adds routes, listens and closes. Throws `StartError` if the TLS certificate cannot be used. */
export function createHttpApp({
  config,
  logger,
  clock,
  random,
  scheduler,
  requestMetrics,
  ...deps
}: HttpAppDeps): FastifyInstance {
  // Node itself would reject a request without Host without an error body and without our headers.
  const serverOptions = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: 5_000,
    requireHostHeader: false,
  };
  const isTrusted = createIsTrusted(config.trustProxy);
  const basePath = basePathOf(config.publicUrl);
  const options = {
    loggerInstance: logger,
    // Requests share the logger, since one for each would cost more than what most requests do.
    childLoggerFactory: (parent) => parent,
    genReqId: createRequestIds({ random, isTrusted }),
    logController: new LogController({ disableRequestLogging: true }),
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleTimeoutMs,
    keepAliveTimeout: idleTimeoutMs,
    return503OnClosing: false,
    // `findClientAddresses` follows the proxies, and leaves one address in X-Forwarded-For.
    trustProxy: config.trustProxy !== undefined && isTrusted,
    clientErrorHandler: sendClientError,
    frameworkErrors: sendFrameworkError,
    ...(basePath !== '' && { rewriteUrl: ({ url = '/' }) => withoutBasePath(url, basePath) }),
    routerOptions: { maxParamLength: 200 },
    bodyLimit: bodyLimitBytes,
  } satisfies FastifyServerOptions;
  const app = config.tls
    ? createTlsApp(config.tls, scheduler, options, serverOptions)
    : fastify({ ...options, http: serverOptions });
  app.server.on('checkExpectation', rejectExpectation);
  const limits = decideConnectionLimits(readDescriptorLimit());
  new ConnectionLimiter({ limits, isTrusted, isTls: config.tls !== undefined, clock }).watch(app);
  addRequestDecorators(app, { clock, timeoutMs: deps.deadlineMs ?? deadlineMs });
  if (config.trustProxy !== undefined) findClientAddresses(app, isTrusted);
  requireHost(app);
  addCommonHeaders(app);
  app.register(cookie);
  addRequestLog(app, { metrics: requestMetrics, scheduler, mode: config.logRequests });
  closeConnectionsWhenStopping(app);
  addJsonParser(app);
  setZodCompilers(app);
  setErrorHandler(app, new ErrorLog({ logger, clock }));
  handleUnknownRoutes(app);
  return app;
}

/** RFC 9112, section 3.2. A request without the header is VALIDATION_ERROR. */
function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const isMissing = raw.httpVersion === '1.1' && raw.headers.host === undefined;
    done(isMissing ? new ApiError('VALIDATION_ERROR', 'The Host header is required.') : undefined);
  });
}

/** Serves HTTPS, and uses a renewed certificate once it is in the files. */
function createTlsApp(
  files: NonNullable<Config['tls']>,
  scheduler: Scheduler,
  options: FastifyServerOptions & { readonly loggerInstance: FastifyBaseLogger },
  serverOptions: ServerOptions,
): FastifyInstance {
  const current = readTlsCertificate(files);
  const https = { ...serverOptions, handshakeTimeout: headersTimeoutMs, ...current };
  const app = fastify({ ...(options as object), https });
  const { loggerInstance: logger } = options;
  const { task } = new CertificateReloader({ files, current, server: app.server, scheduler, logger });
  // For a year (RFC 6797). On the response of Node, since not all responses are Fastify's.
  app.addHook('onRequest', async (_request, { raw }) => void raw.setHeader('Strict-Transport-Security', hsts));
  app.addHook('onListen', async () => task.start());
  app.addHook('onClose', () => task.stop());
  return withoutTlsType(app);
}

/** Routes are the same with and without TLS; the types differ by the server class only. */
function withoutTlsType(app: unknown): FastifyInstance {
  return app as FastifyInstance;
}

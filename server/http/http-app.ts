/** Creates a Fastify app with everything that applies to all routes: timeouts, limits, headers, errors, request log. */
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
import { deadlineMs } from '../deadline.ts';
import { ApiError } from '../errors.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import type { Scheduler } from '../scheduler.ts';
import type { Config } from '../settings/config.ts';
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
/** Timeout for an uploaded file; any other body has less time, see `addRequestDecorators`. */
const requestTimeoutMs = 60 * 60 * 1000;
const idleTimeoutMs = 75_000;
const hsts = 'max-age=31536000';

type HttpAppDeps = Pick<CommonDeps, 'config' | 'clock' | 'random' | 'scheduler'> & {
  readonly logger: FastifyBaseLogger;
  readonly requestMetrics: RequestMetrics;
  /** Time limit for the work of a request, in ms. */
  readonly deadlineMs?: number;
};

/**
 * Creates the app; the caller adds routes, listens and closes. Throws `StartError` if the TLS certificate is unusable.
 */
export function createHttpApp({
  config,
  logger,
  clock,
  random,
  scheduler,
  requestMetrics,
  deadlineMs: timeoutMs = deadlineMs,
}: HttpAppDeps): FastifyInstance {
  // Node's own rejection of a request without Host would have no error body and none of our headers.
  const serverOptions = {
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: 5_000,
    requireHostHeader: false,
  };
  const isTrusted = createIsTrusted(config.trustProxy);
  const basePath = basePathOf(config.publicUrl);
  const options = {
    loggerInstance: logger,
    genReqId: createRequestIds({ random, isTrusted }),
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    requestTimeout: requestTimeoutMs,
    connectionTimeout: idleTimeoutMs,
    keepAliveTimeout: idleTimeoutMs,
    return503OnClosing: false,
    // `findClientAddresses` follows the proxies and leaves a single address in X-Forwarded-For.
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
  addRequestDecorators(app, { clock, timeoutMs, publicUrl: config.publicUrl });
  findClientAddresses(app, isTrusted);
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

/** Rejects an HTTP/1.1 request without a Host header as VALIDATION_ERROR (RFC 9112, section 3.2). */
function requireHost(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const isMissing = raw.httpVersion === '1.1' && raw.headers.host === undefined;
    done(isMissing ? new ApiError('VALIDATION_ERROR', 'The Host header is required.') : undefined);
  });
}

/** Serves HTTPS, and uses a renewed certificate as soon as the files contain it. */
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
  // HSTS for a year (RFC 6797). Set on Node's response, since not all responses go through Fastify's reply.
  app.addHook('onRequest', async (_request, { raw }) => void raw.setHeader('Strict-Transport-Security', hsts));
  app.addHook('onListen', async () => task.start());
  app.addHook('onClose', () => task.stop());
  return withoutTlsType(app);
}

/** Drops the TLS type: routes are the same with and without TLS, and the types differ only in the server class. */
function withoutTlsType(app: unknown): FastifyInstance {
  return app as FastifyInstance;
}

/** Responds 404 to an unknown path and 405 to a known path with another method. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../errors.ts';
import { sendError } from './error-handler.ts';

type KnownRoute = { readonly segments: readonly string[]; readonly methods: Set<string> };

/** Adds the responses. Must be called before any route is added, since it records the routes. */
export function handleUnknownRoutes(app: FastifyInstance): void {
  const routes = new Map<string, KnownRoute>();
  app.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { segments: url.split('/'), methods: new Set() };
    for (const each of [method].flat()) route.methods.add(each);
    routes.set(url, route);
  });
  // `app.findRoute` does not help: it takes a route pattern, not a path.
  const respond = (request: FastifyRequest, reply: FastifyReply) => {
    const [path = ''] = request.url.split(/[?#]/);
    const segments = path.split('/');
    const methods = [...routes.values()]
      .filter((route) => matches(route, segments))
      .flatMap((route) => [...route.methods]);
    if (methods.length === 0) return sendError(new ApiError('NOT_FOUND'), request, reply);
    reply.header('allow', [...new Set(methods)].sort().join(', '));
    return sendError(new ApiError('METHOD_NOT_ALLOWED'), request, reply);
  };
  // Before the body is parsed: an unknown path gets a 404 whatever the body is.
  app.addHook('onRequest', (request, reply, done) => (request.is404 ? respond(request, reply) : done()));
  app.setNotFoundHandler(respond);
}

function matches(route: KnownRoute, segments: readonly string[]): boolean {
  return (
    route.segments.length === segments.length &&
    route.segments.every((segment, index) => segment.startsWith(':') || segment === segments[index])
  );
}

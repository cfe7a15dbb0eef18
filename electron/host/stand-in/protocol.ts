/** Electron's `protocol`: the handler that main registers for its own scheme answers the page's requests. */

type Handler = (request: Request) => Response | Promise<Response>;

const handlers = new Map<string, Handler>();

export const protocol: Pick<Electron.Protocol, 'registerSchemesAsPrivileged' | 'handle'> = {
  registerSchemesAsPrivileged: () => {},
  handle: (scheme, handler) => {
    handlers.set(scheme, handler);
  },
};

/** The answer of main's handler. */
export function answerScheme(request: Request): Response | Promise<Response> {
  const handler = handlers.get(new URL(request.url).protocol.slice(0, -1));
  return handler?.(request) ?? new Response('No such scheme', { status: 404 });
}

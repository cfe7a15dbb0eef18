/** The heartbeat endpoint. */
import type { EndpointRoutes } from '../http/endpoint-routes.ts';
import type { Services } from '../services.ts';

export function addHeartbeatRoutes(routes: EndpointRoutes, { heartbeats }: Services): void {
  routes.add('heartbeat', ({ user, body, ip: address, headers }) =>
    heartbeats.record({
      userId: user.id,
      deviceId: body.device_id,
      instance: body.instance ?? '',
      address,
      acceptLanguage: headers['accept-language'],
    }),
  );
}

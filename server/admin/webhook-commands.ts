/** `webhook`: the endpoints that events are sent to, and what was delivered. */
import { type Command, InvalidArgumentError } from 'commander';
import {
  type Delivery,
  type WebhookEndpoint,
  type WebhookEventType,
  webhookEventTypes,
} from '../../shared/api/admin/webhooks.ts';
import { byCommand } from '../audit/audit-event.ts';
import type { AdminContext } from './admin-context.ts';
import { createTableFormat } from './command-output.ts';
import { addListAction } from './list-command.ts';

/** Adds the noun `webhook` and its commands. */
export function addWebhookCommands(program: Command, context: AdminContext): void {
  const webhook = program
    .command('webhook')
    .description('Endpoints that get an event, signed, when something changes: add them, see what was delivered.');
  addAdd(webhook, context);
  addLists(webhook, context);

  webhook
    .command('remove <id>')
    .description('Remove an endpoint, and the events that wait for it.')
    .action(context.running(async ({ webhooks }, id: string) => ({ json: await webhooks.remove(id, byCommand) })));

  webhook
    .command('replay <delivery>')
    .description('Deliver an event again. "webhook deliveries" shows the id.')
    .action(context.running(async ({ webhooks }, id: string) => ({ json: await webhooks.replay(id, byCommand) })));
}

function addAdd(webhook: Command, context: AdminContext): void {
  webhook
    .command('add <url>')
    .description('Add an endpoint and print its secret, which is shown only this once.')
    .option('--event <type>', `only this type of event; may be repeated (${webhookEventTypes.join(', ')})`, collectType)
    .action(
      context.running(async ({ webhooks }, url: string, { event = [] }: { event?: readonly WebhookEventType[] }) => {
        const added = await webhooks.add(url, event, byCommand);
        if (added.is_blocked) context.warn(blockedWarning);
        return { json: added };
      }),
    );
}

const blockedWarning =
  'Warning: this address is private, so no events are sent to it. To allow that, set LATCHKEY_WEBHOOK_ALLOW_PRIVATE=1 for the server.';

function addLists(webhook: Command, context: AdminContext): void {
  addListAction(
    webhook.command('list').description('List the endpoints, oldest first.'),
    context,
    async ({ endpointList }) => ({
      readPage: (page) => endpointList.readPage({}, page),
      formatPage: formatEndpoints(),
    }),
  );

  const deliveries = webhook
    .command('deliveries <id>')
    .description('List what was, or will be, delivered to an endpoint, newest first.');
  addListAction(deliveries, context, async ({ webhooks, deliveryList }, _options: object, [id = '']) => {
    const endpointId = await webhooks.requireId(id);
    return {
      readPage: (page) => deliveryList.readPage({ endpointId }, page),
      formatPage: createTableFormat<Delivery>([
        'created_at',
        'type',
        'email',
        'state',
        'attempts',
        'response_status',
        'error',
        'next_attempt_at',
        'id',
      ]),
    };
  });
}

function formatEndpoints(): (endpoints: readonly WebhookEndpoint[]) => string {
  const format = createTableFormat<Omit<WebhookEndpoint, 'events'> & { readonly events: readonly string[] }>([
    'url',
    'events',
    'waiting',
    'disabled_reason',
    'id',
  ]);
  return (endpoints) => format(endpoints.map((endpoint) => ({ ...endpoint, events: describeEvents(endpoint) })));
}

function describeEvents({ events }: WebhookEndpoint): readonly string[] {
  return events.length === webhookEventTypes.length ? ['all'] : events;
}

/** Adds an event type to the previous ones. Throws `InvalidArgumentError`. */
function collectType(value: string, previous: readonly WebhookEventType[] = []): readonly WebhookEventType[] {
  const type = webhookEventTypes.find((known) => known === value);
  if (!type) throw new InvalidArgumentError(`The types are: ${webhookEventTypes.join(', ')}.`);
  return [...previous, type];
}

/** Holds a link or file that was opened with the app until the window has handled it. */
import { basename } from 'node:path';
import { normalizeLicenseKey } from '../../shared/formats/license-key.ts';
import type { CommandInput, CommandOutput } from '../../shared/ipc/ipc-schema.ts';
import type { OpenRequest } from '../../shared/ipc/open-request.ts';
import { type Done, fail, succeed } from '../../shared/ipc/result.ts';
import { maskLicenseKey } from '../licensing/entitlement.ts';
import { failureNow } from '../licensing/failure.ts';
import type { LicensingClient } from '../licensing/licensing-client.ts';
import type { Clock, Log, Random } from '../licensing/platform.ts';
import { parseDeepLink } from './deep-link.ts';
import { isLeaseFile, type Opened, openedByArguments } from './opened-arguments.ts';
import { readLeaseFile } from './read-lease-file.ts';

/** How long the key of a link is kept in memory, e.g. until somebody has signed in. */
const keyKeptMs = 10 * 60_000;

export type OpenRequestsDeps = {
  /** Scheme of the app's links. */
  readonly scheme: string;
  readonly client: Pick<LicensingClient, 'activateLicense'>;
  /** Shows the window. */
  readonly reveal: () => void;
  /** Sends the request to the window; `null` means that there is none any more. */
  readonly show: (request: OpenRequest | null) => void;
  readonly clock: Clock;
  readonly random: Pick<Random, 'uuid'>;
  readonly log: Log;
};

/** `licenseKey` and `keptUntilMs` matter only for a link with a key. */
type Held = { readonly request: OpenRequest; readonly licenseKey: string | null; readonly keptUntilMs: number };

/** `OpenRequest` without its id. */
type Content = OpenRequest extends infer Each ? (Each extends OpenRequest ? Omit<Each, 'id'> : never) : never;

/**
 * Holds one request: a new one replaces it. A link with a license key waits for the user's answer, so only another such
 * link replaces it; the window gets everything else at once. Opening a file or link shows the window.
 */
export class OpenRequests {
  readonly #deps: OpenRequestsDeps;
  #held: Held | null = null;
  #opened = 0;
  #cancelTimer: () => void = () => {};

  constructor(deps: OpenRequestsDeps) {
    this.#deps = deps;
  }

  /** Opens what the start arguments name; returns whether they name anything. */
  openArguments(parameters: readonly string[], folder: string): boolean {
    const opened = openedByArguments(parameters, this.#deps.scheme, folder);
    if (opened !== null) void this.open(opened);
    return opened !== null;
  }

  /** Never rejects. */
  async open(opened: Opened): Promise<void> {
    this.#opened += 1;
    const own = this.#opened;
    this.#deps.reveal();
    const { content, licenseKey } = await this.#read(opened);
    // If not, something else was opened while the file was being read.
    if (own === this.#opened) this.#hold({ id: this.#deps.random.uuid(), ...content }, licenseKey);
  }

  /** Called by a window that has just loaded. */
  getOpenRequest(): OpenRequest | null {
    return this.#held?.request ?? null;
  }

  /** Called when the window has handled the request, or the user has declined it. */
  closeOpenRequest({ id }: CommandInput<'closeOpenRequest'>): Done {
    if (this.#held?.request.id === id) this.#drop();
    return succeed(null);
  }

  /** Activates this device with the key of the link that the user was shown, and with no other. */
  async activateFromLink(input: CommandInput<'activateFromLink'>): Promise<CommandOutput<'activateFromLink'>> {
    const { client, clock } = this.#deps;
    const { id, ...options } = input;
    const held = this.#held;
    const isKept = held !== null && clock.now() < held.keptUntilMs;
    if (held?.request.id !== id || held.licenseKey === null || !isKept) {
      return fail(failureNow(clock, 'LINK_EXPIRED', 'The link is too old, or another one was opened since.'));
    }
    const outcome = await client.activateLicense({ licenseKey: held.licenseKey, ...options });
    if (outcome.ok && outcome.value.kind === 'activated') this.closeOpenRequest({ id });
    return outcome;
  }

  async #read(opened: Opened): Promise<{ readonly content: Content; readonly licenseKey: string | null }> {
    if (opened.kind === 'link') return this.#readLink(opened.link);
    if (opened.kind === 'several' || !isLeaseFile(opened.path)) return this.#refuse();
    const { text, ...problem } = await readLeaseFile(opened.path);
    const name = basename(opened.path);
    if (text === null) return { content: { kind: 'unreadable-file', fileName: name, ...problem }, licenseKey: null };
    return { content: { kind: 'import-lease', file: { name, text } }, licenseKey: null };
  }

  #readLink(link: string): { readonly content: Content; readonly licenseKey: string | null } {
    const parsed = parseDeepLink(link, this.#deps.scheme);
    switch (parsed?.kind) {
      case 'activate': {
        const licenseKey = normalizeLicenseKey(parsed.licenseKey) ?? parsed.licenseKey;
        return { content: { kind: 'activate', keyPreview: maskLicenseKey(licenseKey) }, licenseKey };
      }
      case 'open':
        return { content: { kind: 'place', place: parsed.place }, licenseKey: null };
      case 'lease':
        return { content: { kind: 'import-lease', file: null }, licenseKey: null };
      case undefined:
        return this.#refuse();
    }
  }

  /** The link must not be logged, because it may contain a key. */
  #refuse(): { readonly content: Content; readonly licenseKey: null } {
    this.#deps.log.warn('a link was opened that is not one of ours');
    return { content: { kind: 'unknown-link' }, licenseKey: null };
  }

  #hold(request: OpenRequest, licenseKey: string | null): void {
    const { clock, show } = this.#deps;
    if (licenseKey === null && this.#held !== null && this.#held.licenseKey !== null) {
      show(request);
      return;
    }
    this.#cancelTimer();
    this.#held = { request, licenseKey, keptUntilMs: clock.now() + keyKeptMs };
    this.#cancelTimer = licenseKey === null ? () => {} : clock.setTimer(keyKeptMs, () => this.#drop());
    show(request);
  }

  #drop(): void {
    this.#cancelTimer();
    this.#held = null;
    this.#deps.show(null);
  }
}

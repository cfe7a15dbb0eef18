/** Explains a failure to the user: what happened, and what to do. */
import type { Failure } from '../../shared/ipc/result.ts';
import type { SharedTranslate } from './shared-messages.ts';

/**
 * Codes for which the server's message is usually more specific than a translation, with its generic message for each.
 */
const genericMessages: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: 'The request is not valid.',
  CONFLICT: 'This is not possible in the present state of the record.',
};

type FailureMessage = { readonly what: string; readonly help: string };

/**
 * Returns the message for the failure's code; for an unknown code, `what` is the server's own message. `help` begins
 * with what responded in place of the server, or why nothing did, if that is known.
 */
export function failureMessage(failure: Failure, t: SharedTranslate): FailureMessage {
  const known =
    findProblem(failure, t) ??
    withIntermediary(failure, t) ??
    withNetworkProblem(failure, t) ??
    withFileProblem(failure, t) ??
    findMessage(failure.code, t);
  const message = known ?? { what: t('failure.other.what'), help: t('failure.other.help') };
  return usesServerMessage(failure, known !== undefined) ? { ...message, what: failure.message } : message;
}

/** Returns the meaning of a failure code in one sentence; any other text unchanged. */
export function describeCode(text: string, t: SharedTranslate): string {
  return findMessage(text, t)?.what ?? text;
}

/** Returns when to retry, in ms since 1970; `null` if there is no need to wait. */
export function retryAtMs(failure: Failure): number | null {
  if (failure.retryAfterSeconds === undefined) return null;
  return Date.parse(failure.at) + failure.retryAfterSeconds * 1000;
}

/** Returns whether the connection doctor can find the cause. */
export function isConnectionFailure({ code }: Failure): boolean {
  return ['SERVER_UNREACHABLE', 'SERVER_RESPONSE_INVALID', 'SERVICE_UNAVAILABLE'].includes(code);
}

/**
 * Returns whether to show the server's message: only the server knows which field is invalid, what prevents an action,
 * and what an unknown code means.
 */
function usesServerMessage({ code, message }: Failure, isKnown: boolean): boolean {
  const generic = genericMessages[code];
  return (generic !== undefined || !isKnown) && message.trim() !== '' && message !== generic;
}

/** Returns what is wrong with a lease, and what to do. */
function findProblem({ problem }: Failure, t: SharedTranslate): FailureMessage | undefined {
  return problem === undefined ? undefined : findTexts(`leaseProblem.${problem}`, t);
}

function withIntermediary({ code, respondedInstead }: Failure, t: SharedTranslate): FailureMessage | undefined {
  const message = findMessage(code, t);
  if (message === undefined || respondedInstead === undefined) return undefined;
  const { kind, status } = respondedInstead;
  // The network and the address are right.
  if (kind === 'redirect') return { ...message, help: t('respondedInstead.redirect') };
  return { ...message, help: `${t(`respondedInstead.${kind}`, { status })} ${message.help}` };
}

function withNetworkProblem({ code, networkCode }: Failure, t: SharedTranslate): FailureMessage | undefined {
  const message = findMessage(code, t);
  const problem = findNetworkProblem(networkCode ?? '');
  if (message === undefined || problem === null) return undefined;
  return { ...message, help: `${t(`networkProblem.${problem}`)} ${message.help}` };
}

function withFileProblem({ code, fileProblem }: Failure, t: SharedTranslate): FailureMessage | undefined {
  const message = findMessage(code, t);
  const help = t.find(`fileProblem.${fileProblem}`);
  return message === undefined || help === undefined ? undefined : { ...message, help };
}

function findMessage(code: string, t: SharedTranslate): FailureMessage | undefined {
  return code === 'other' ? undefined : findTexts(`failure.${code}`, t);
}

function findTexts(path: string, t: SharedTranslate): FailureMessage | undefined {
  const [what, help] = [t.find(`${path}.what`), t.find(`${path}.help`)];
  return what === undefined || help === undefined ? undefined : { what, help };
}

/** Why there was no connection to the server, from the code of Node, OpenSSL, undici or Chromium. */
type NetworkProblem = 'name' | 'certificate' | 'proxy' | 'timeout' | 'refused' | 'offline';

/** The first that matches applies: a proxy's code may also name a connection or a certificate. */
const networkProblems: readonly (readonly [NetworkProblem, RegExp])[] = [
  ['proxy', /PROXY|TUNNEL/],
  ['certificate', /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)/],
  ['name', /^(?:ENOTFOUND|EAI_AGAIN|ERR_NAME_\w+)$/],
  ['timeout', /TIME(?:D_?)?OUT/],
  ['refused', /^(?:ECONNREFUSED|ERR_CONNECTION_REFUSED)$/],
  ['offline', /^(?:ENETUNREACH|ENETDOWN|ERR_INTERNET_DISCONNECTED)$/],
];

/** Returns `null` for a code that says nothing that would help. */
function findNetworkProblem(networkCode: string): NetworkProblem | null {
  return networkProblems.find(([, pattern]) => pattern.test(networkCode))?.[0] ?? null;
}

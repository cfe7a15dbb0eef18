/** The result of a command of the command line: a JSON document or a failure, and the exit code. */
import type { Failure } from '../../shared/ipc/result.ts';

/**
 * 0 done, or the answer is yes; 1 failed; 2 wrong usage; 3 answered conclusively: no; 4 inconclusive; 130 interrupted.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4 | 130;

export type CommandFailure = { readonly error: string; readonly code: string; readonly [more: string]: unknown };

export type CommandResult =
  /** `incomplete` says what is missing in the document; both are printed. */
  | { readonly exit: ExitCode; readonly value: unknown; readonly incomplete?: CommandFailure }
  /** `isNotRun` is not part of the failure, whose code may come from a server. */
  | { readonly exit: Exclude<ExitCode, 0>; readonly failure: CommandFailure; readonly isNotRun?: true };

export function done(value: unknown): CommandResult {
  return { exit: 0, value };
}

/** `more` is added next to `error` and `code`. */
export function failed(failure: Failure, more: Readonly<Record<string, unknown>> = {}): CommandResult {
  const { code } = failure;
  return { exit: exitCodeOf(code), failure: { error: withFileProblem(failure.message, failure), code, ...more } };
}

/** The result fields of a document that is incomplete because of the failure. */
export function incompleteBy(failure: Failure) {
  const { code } = failure;
  return { exit: exitCodeOf(code), incomplete: { error: withFileProblem(failure.message, failure), code } };
}

/** Ends with why a file could not be read or written, such as "disk full". */
export function withFileProblem(message: string, { fileProblem }: Pick<Failure, 'fileProblem'>): string {
  return fileProblem === undefined ? message : `${message.replace(/\.$/, '')}: ${fileProblem.replaceAll('-', ' ')}.`;
}

/** Result of a command sent to another process that has not run it, because it is ending or busy. */
export const notRun = {
  exit: 1,
  failure: { error: 'Another Latchkey has not run the command.', code: 'NOT_RUN' },
  isNotRun: true,
} as const satisfies CommandResult;

export function isNotRun(result: CommandResult): boolean {
  return 'failure' in result && result.isNotRun === true;
}

/** Result of a command sent to another process that has not answered. It may have been done. */
export const outcomeUnknown = {
  exit: 4,
  failure: {
    error:
      'The Latchkey that ran the command ended before it answered, so the command may or may not have been done. Look with: latchkey status',
    code: 'OUTCOME_UNKNOWN',
  },
} as const satisfies CommandResult;

export function wrongUsage(error: string): CommandResult {
  return { exit: 2, failure: { error, code: 'USAGE' } };
}

/** Result for an answer from a process of another version, or of another program. */
export const notUnderstood = {
  exit: 4,
  failure: {
    error:
      'The answer of the Latchkey that ran the command cannot be understood. The command may or may not have been done. Look with: latchkey status',
    code: 'OUTCOME_UNKNOWN',
  },
} as const satisfies CommandResult;

/** Failures on this machine, which say nothing about the license. */
const failedHere = new Set<string>([
  'NOT_SIGNED_IN',
  'STORE_UNAVAILABLE',
  'FILE_UNREADABLE',
  'FILE_NOT_WRITTEN',
  'NOT_A_FILE',
  'OWN_INSTALLER_UNKNOWN',
  'UPDATE_FAILED',
  'UPDATE_UNAVAILABLE',
  'INTERNAL',
]);

const inconclusive = new Set<string>([
  'SERVER_UNREACHABLE',
  'SERVER_RESPONSE_INVALID',
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
  'NOT_SUPPORTED_BY_SERVER',
  'INSTALLER_NOT_PUBLISHED',
  'UPDATE_NOT_PUBLISHED',
  'UPDATE_REFUSED',
]);

/** Any other code is an answer of the server or of a lease, and the answer is no. */
function exitCodeOf(code: string): 1 | 2 | 3 | 4 | 130 {
  if (failedHere.has(code)) return 1;
  if (code === 'SERVER_ADDRESS_INVALID') return 2;
  if (code === 'CANCELED') return 130;
  return inconclusive.has(code) ? 4 : 3;
}

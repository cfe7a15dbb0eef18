/** Why a release cannot be signed, as one sentence for its publisher. */

type ReleaseErrorCode = 'KEY_UNUSABLE' | 'FILE_UNREADABLE' | 'FILE_EXISTS' | 'PLATFORM_UNKNOWN' | 'VALIDATION_ERROR';

export class ReleaseError extends Error {
  readonly code: ReleaseErrorCode;

  constructor(code: ReleaseErrorCode, message: string) {
    super(message);
    this.name = 'ReleaseError';
    this.code = code;
  }
}

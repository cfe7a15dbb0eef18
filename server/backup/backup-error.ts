/** Why a backup, a restore or a check failed: a code, and a sentence for the admin. */

export type BackupErrorCode =
  | 'NOT_FOUND'
  | 'FILE_EXISTS'
  | 'CHECK_FAILED'
  | 'BACKUP_DAMAGED'
  | 'NEWER_VERSION'
  | 'OTHER_DATABASE'
  | 'SERVER_RUNNING';

export class BackupError extends Error {
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BackupError';
    this.code = code;
  }
}

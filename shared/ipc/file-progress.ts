/** Progress and speed of work on a file. */
export type FileProgress = Readonly<Record<'doneBytes' | 'totalBytes' | 'bytesPerSecond', number>>;

/** How far the work on a file is, and how fast it goes. */
export type FileProgress = Readonly<Record<'doneBytes' | 'totalBytes' | 'bytesPerSecond', number>>;

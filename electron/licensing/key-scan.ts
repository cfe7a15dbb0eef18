/** One scan for keys: what it reads, what it skips, and the limits at which it ends. */
import type { KeyScanProgress, KeyScanReport, LeakedKey } from '../../shared/ipc/key-scan.ts';
import type { Failure } from '../../shared/ipc/result.ts';
import { fileProblemOf } from './file-problem.ts';
import { type FoundKey, KeyScanner } from './key-scanner.ts';
import type { Files, WalkedFile } from './platform.ts';
import { TextReader } from './text-reader.ts';

export type ScanInput =
  | { readonly text: string }
  /** Files and folders. */
  | { readonly paths: readonly string[] }
  /** A stream of bytes, e.g. standard input. */
  | { readonly bytes: AsyncIterable<Uint8Array> };

type KeyScanDeps = {
  readonly files: Files;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: KeyScanProgress) => void;
};

type Outcome =
  | ({ readonly kind: 'done'; readonly found: readonly FoundInFile[] } & Omit<KeyScanReport, 'keys'>)
  /** `why`: of the first path. */
  | { readonly kind: 'unreadable'; readonly why: Pick<Failure, 'fileProblem'> };

type FoundInFile = FoundKey & Pick<LeakedKey, 'file'>;

const scanLimits = { files: 100_000, bytes: 10 * 1024 ** 3, keys: 1000 } as const;

export class KeyScan {
  readonly #deps: KeyScanDeps;
  readonly #found: FoundInFile[] = [];
  readonly #counts = { files: 0, bytes: 0, skipped: 0, unreadable: 0 };
  #walked = 0;
  #why: Pick<Failure, 'fileProblem'> | null = null;

  constructor(deps: KeyScanDeps) {
    this.#deps = deps;
  }

  /** Runs once. `unreadable` if nothing could be read. */
  async run(input: ScanInput): Promise<Outcome> {
    if ('text' in input) this.#scanText(input.text);
    else if ('bytes' in input) await this.#scanStream(input.bytes);
    else await this.#scanFiles(input.paths);
    const { files, skipped, unreadable } = this.#counts;
    if (files + skipped === 0 && unreadable > 0) return { kind: 'unreadable', why: this.#why ?? {} };
    const found = this.#found.slice(0, scanLimits.keys).sort(byFile);
    return { kind: 'done', found, ...this.#counts, limit: this.#reached };
  }

  get #reached(): KeyScanReport['limit'] {
    if (this.#found.length > scanLimits.keys) return 'keys';
    if (this.#counts.bytes > scanLimits.bytes) return 'bytes';
    return this.#walked > scanLimits.files ? 'files' : null;
  }

  get #goesOn(): boolean {
    return !this.#deps.signal.aborted && this.#reached === null;
  }

  #scanText(text: string): void {
    const scanner = new KeyScanner();
    this.#counts.bytes = text.length;
    this.#add(null, [...scanner.push(text), ...scanner.end()]);
  }

  async #scanStream(stream: AsyncIterable<Uint8Array>): Promise<void> {
    const scan = this.#startFile(null);
    try {
      for await (const bytes of stream) {
        if (!this.#goesOn || !scan.push(bytes)) break;
      }
      scan.end();
    } catch {
      this.#counts.unreadable++;
    }
  }

  async #scanFiles(paths: readonly string[]): Promise<void> {
    const { files, signal } = this.#deps;
    for await (const file of files.walk(paths, signal)) {
      this.#walked++;
      if (!this.#goesOn) return;
      if (file.kind === 'unreadable') this.#countUnreadable(file.path, file.error);
      else await this.#scanFile(file);
    }
  }

  async #scanFile({ path, pathBytes }: WalkedFile): Promise<void> {
    const { files, signal } = this.#deps;
    const scan = this.#startFile(path);
    const outcome = await files.readFile(pathBytes ?? path, {
      signal,
      onBytes: (bytes) => scan.push(bytes) && this.#goesOn,
    });
    if (outcome.kind === 'unreadable') this.#countUnreadable(path, outcome.error);
    else scan.end();
  }

  #countUnreadable(path: string, error: unknown): void {
    this.#counts.unreadable++;
    this.#why ??= fileProblemOf(error, path);
  }

  /** `push` returns whether to continue with this file. */
  #startFile(file: string | null) {
    const reader = new TextReader();
    const scanner = new KeyScanner();
    let isText = true;
    const push = (bytes: Uint8Array): boolean => {
      if (bytes.length === 0) return true;
      this.#counts.bytes += bytes.length;
      const text = reader.read(bytes);
      isText = text !== null;
      if (text !== null) this.#add(file, scanner.push(text));
      const { files, bytes: doneBytes } = this.#counts;
      this.#deps.onProgress({ files, bytes: doneBytes, found: this.#found.length, file });
      return isText;
    };
    const end = () => {
      if (!isText) this.#counts.skipped++;
      else {
        this.#counts.files++;
        this.#add(file, scanner.end());
      }
    };
    return { push, end };
  }

  #add(file: string | null, keys: readonly FoundKey[]): void {
    // One more than the limit shows that it was reached.
    this.#found.push(...keys.slice(0, scanLimits.keys + 1).map((key) => ({ ...key, file })));
  }
}

/** Within a file, keys are found in order. Only keys of files have one. */
function byFile({ file: one }: FoundInFile, { file: other }: FoundInFile): number {
  if (one === other || one === null || other === null) return 0;
  return one < other ? -1 : 1;
}

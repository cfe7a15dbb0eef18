/** Assigns a path to a chosen or dropped file at once, and uploads the file to it in the background. */
import { uploadPath } from '../page-messages.ts';

const uploading = new Map<string, Promise<unknown>>();
const paths = new WeakMap<File, string>();

/** Returns the path where the main process finds the file once it is uploaded. */
export function getPathForFile(file: File, uploadsFolder: string): string {
  const known = paths.get(file);
  if (known !== undefined) return known;
  const id = crypto.randomUUID();
  const path = `${uploadsFolder}/${id}/${file.name}`;
  paths.set(file, path);
  const upload = fetch(`${uploadPath}${id}/${encodeURIComponent(file.name)}`, { method: 'PUT', body: file });
  uploading.set(
    path,
    upload.catch(() => {}).finally(() => uploading.delete(path)),
  );
  return path;
}

/** Uploads the files of a chosen folder one by one; returns the path where the main process finds the folder. */
export async function uploadFolder(files: readonly File[], uploadsFolder: string): Promise<string> {
  const id = crypto.randomUUID();
  for (const file of files) {
    const path = file.webkitRelativePath.split('/').map(encodeURIComponent).join('/');
    // A file that cannot be read is skipped.
    await fetch(`${uploadPath}${id}/${path}`, { method: 'PUT', body: file }).catch(() => {});
  }
  return `${uploadsFolder}/${id}/${files[0]?.webkitRelativePath.split('/')[0] ?? ''}`;
}

/** Waits for the uploads of all files whose paths occur in a command's input. */
export async function waitForUploads(input: unknown): Promise<void> {
  const text = JSON.stringify(input) ?? '';
  const isNamed = (path: string) => text.includes(JSON.stringify(path));
  await Promise.all([...uploading].filter(([path]) => isNamed(path)).map(([, upload]) => upload));
}

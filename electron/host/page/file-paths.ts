/** Gives a chosen or dropped file its path at once, and uploads it there in the meantime. */
import { uploadPath } from '../messages.ts';

const uploading = new Map<string, Promise<unknown>>();
const paths = new WeakMap<File, string>();

/** The path under which main will find the file. */
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

/** Fulfilled once every file that the message (JSON text) names has arrived. */
export async function filesArrived(message: string): Promise<void> {
  const isNamed = (path: string) => message.includes(JSON.stringify(path).slice(1, -1));
  await Promise.all([...uploading].filter(([path]) => isNamed(path)).map(([, upload]) => upload));
}

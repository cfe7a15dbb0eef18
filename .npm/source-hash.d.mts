export function hashServerSources(root: string): string;
export function hashPageSources(root: string): string;

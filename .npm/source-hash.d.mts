export function hashServerSources(root: string): string;

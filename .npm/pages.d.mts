export function buildPagesIfChanged(root: string): void;

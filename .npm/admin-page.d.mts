export function buildPageIfChanged(root: string): void;

/**
 * The human-readable API page, rendered from the OpenAPI document: static HTML without scripts, with one style sheet.
 */
import { hash } from 'node:crypto';
import { escapeHtml } from '../escape-html.ts';
import type { Json } from './named-schemas.ts';

type Media = { readonly example?: unknown; readonly examples?: Readonly<Record<string, { readonly value: unknown }>> };
type Content = { readonly content?: Readonly<Record<string, Media>> };
type Parameter = { readonly name: string; readonly in: string; readonly description?: string };
type Operation = {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content & { readonly description: string }>>;
};
type Entry = { readonly method: string; readonly path: string; readonly operation: Operation };

const style = `:root{color-scheme:light dark;background:light-dark(#fff,#1b1c1f);color:light-dark(#1b1c1f,#e8e8ea);font:16px/1.5 system-ui,sans-serif}
body{margin:0 auto;max-width:60rem;padding:1rem 1rem 4rem;overflow-wrap:anywhere}
h1,h2,h3{line-height:1.25}h2{margin-top:3rem}h3{margin-top:2.5rem;border-top:1px solid;padding-top:1rem}
pre{overflow-x:auto;overflow-wrap:normal;padding:.75rem;border:1px solid;border-radius:.4rem}
code,pre{font:.9rem/1.45 ui-monospace,monospace}a{color:light-dark(#0b57d0,#8ab4f8)}li{margin:.25rem 0}`;

/** Allows only the style sheet, by its hash. */
export const docsPagePolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;

export function renderDocsPage(document: Json): string {
  const { info, servers } = document as { info: { title: string; description: string }; servers: { url: string }[] };
  const entries = readEntries(document);
  const groups = Map.groupBy(entries, ({ operation }) => operation.tags[0] ?? '');
  const index = [...groups].map(
    ([tag, list]) => `<h2>${escapeHtml(tag)}</h2><ul>${list.map(renderLink).join('')}</ul>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(info.title)}</title><style>${style}</style></head><body><main><h1>${escapeHtml(info.title)}</h1><p>${escapeHtml(info.description)} Paths are relative to <code>${escapeHtml(servers[0]?.url ?? '')}</code>. For programs: <a href="v1/openapi.json">OpenAPI document</a>.</p><nav aria-label="Endpoints">${index.join('')}</nav>${entries.map(renderEntry).join('')}</main></body></html>`;
}

function readEntries({ paths }: Json): Entry[] {
  const byPath = Object.entries(paths as Record<string, Record<string, Operation>>);
  return byPath.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function renderLink({ method, path, operation }: Entry): string {
  return `<li><a href="#${operation.operationId}"><code>${method} ${escapeHtml(path)}</code></a> ${escapeHtml(operation.summary)}</li>`;
}

function renderEntry({ method, path, operation }: Entry): string {
  const { operationId, description, parameters = [], requestBody, responses } = operation;
  const list = parameters.map(
    (each) => `<li><code>${escapeHtml(each.name)}</code> (${each.in}): ${escapeHtml(each.description ?? '')}</li>`,
  );
  const answers = Object.entries(responses).map(
    ([status, each]) =>
      `<h4>Status ${status}</h4><p>${escapeHtml(each.description)}</p>${status === '200' ? renderExamples(each) : ''}`,
  );
  return `<section><h3 id="${operationId}"><code>${method} ${escapeHtml(path)}</code></h3><p>${escapeHtml(description)}</p>${list.length > 0 ? `<ul>${list.join('')}</ul>` : ''}${requestBody ? `<h4>Request</h4>${renderExamples(requestBody)}` : ''}${answers.join('')}</section>`;
}

function renderExamples({ content = {} }: Content): string {
  const media = content['application/json'];
  const values = [
    ...(media?.example === undefined ? [] : [media.example]),
    ...Object.values(media?.examples ?? {}).map(({ value }) => value),
  ];
  return values.map((value) => `<pre tabindex="0">${escapeHtml(JSON.stringify(value, null, 2))}</pre>`).join('');
}

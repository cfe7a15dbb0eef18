/** What `openapi-typescript` makes of an OpenAPI document: the types with which `openapi-fetch` is a client of its API. */
import { registerHooks } from 'node:module';

/** Stands for `typescript` in `openapi-typescript`. */
const compilerApi = new URL('compiler-api.js', import.meta.url).href;

// It needs the API of the TypeScript compiler, which TypeScript 7 does not have. ts-morph contains a compiler that does.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: compilerApi, shortCircuit: true } : next(specifier, context),
  load: (url, context, next) =>
    url === compilerApi
      ? { format: 'module', source: "export { ts as default } from '@ts-morph/common';", shortCircuit: true }
      : next(url, context),
});

/** The text of a declaration file. */
export async function generateTypes(document: string): Promise<string> {
  const { default: openapiTypescript, astToString } = await import('openapi-typescript');
  return astToString(await openapiTypescript(document));
}

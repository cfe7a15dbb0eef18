/**
 * Generates types from an OpenAPI document with `openapi-typescript`, which make `openapi-fetch` a client of its API.
 */
import { registerHooks } from 'node:module';

/** Replaces `typescript` in `openapi-typescript`. */
const compilerApi = new URL('compiler-api.js', import.meta.url).href;

// It requires the API of the TypeScript compiler, which TypeScript 7 lacks. ts-morph contains a compiler that has it.
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: compilerApi, shortCircuit: true } : next(specifier, context),
  load: (url, context, next) =>
    url === compilerApi
      ? { format: 'module', source: "export { ts as default } from '@ts-morph/common';", shortCircuit: true }
      : next(url, context),
});

/** Returns the text of a declaration file. */
export async function generateTypes(document: string): Promise<string> {
  const { default: openapiTypescript, astToString } = await import('openapi-typescript');
  return astToString(await openapiTypescript(document));
}

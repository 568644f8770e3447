/**
 * The library says on the console, when it is loaded, that it wants a newer Node. Node 20 is supported here and tested, so
 * that this would only worry people. `provider.ts` loads this file first and ends it right after the library.
 */

const { warn } = console

console.warn = (...words: unknown[]) => {
  if (!String(words[0]).includes('oidc-provider WARNING: Unsupported runtime')) warn.apply(console, words)
}

export function endNotice(): void {
  console.warn = warn
}

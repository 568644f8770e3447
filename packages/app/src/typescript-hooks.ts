/**
 * Node's hooks behind `portico/typescript`: jiti's, for TypeScript only. Jiti's own take every CommonJS file as well and
 * turn some into modules, which Node 20 then cannot link.
 */

import type { InitializeHook, LoadHook, ResolveHook } from 'node:module'

interface Hooks {
  readonly initialize: InitializeHook
  readonly resolve: ResolveHook
  readonly load: LoadHook
}

let jiti: Hooks

/** `hooks` is where jiti's are: this thread cannot look it up. */
export const initialize: InitializeHook<{ readonly hooks: string }> = async ({ hooks }) => {
  jiti = await import(hooks)
  await jiti.initialize(undefined)
}

export const resolve: ResolveHook = (specifier, context, next) =>
  isTypeScript(specifier) || isTypeScript(context.parentURL)
    ? jiti.resolve(specifier, context, next)
    : next(specifier, context)

export const load: LoadHook = (url, context, next) =>
  isTypeScript(url) ? jiti.load(url, context, next) : next(url, context)

function isTypeScript(url: string | undefined): boolean {
  return url !== undefined && /\.[cm]?tsx?(?:[?#]|$)/.test(url)
}

/**
 * Cedar's engine for `cedar.ts` and `cedar-condition.ts`. It is WebAssembly that takes longer to compile than everything
 * else here takes to load, so that whoever writes no policy in Cedar's language never has it.
 */

import { createRequire } from 'node:module'

type Engine = typeof import('@cedar-policy/cedar-wasm/nodejs')

let engine: Engine | undefined

/** Loads it at the first call. At once, since rules are read and judged without waiting. */
export function cedarEngine(): Engine {
  // The door for Node is CommonJS and exports what its types say.
  engine ??= createRequire(import.meta.url)('@cedar-policy/cedar-wasm/nodejs') as Engine
  return engine
}

type Policies = string | { readonly [name: string]: string }

/** Has the engine keep policies under a name; what is wrong with them, if anything is. */
export function keepPolicies(id: string, staticPolicies: Policies): readonly string[] {
  try {
    const parsed = cedarEngine().preparsePolicySet(id, { staticPolicies })
    return parsed.type === 'failure' ? parsed.errors.map(({ message }) => message) : []
  } catch (error) {
    // It throws for what is no text of Unicode, before it has read a word.
    return [error instanceof Error ? error.message : String(error)]
  }
}

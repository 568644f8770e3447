/** Configurations for the tests of upstreams, and waiting for what is to happen. */

import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import {
  DEFAULT_SETTINGS,
  type ServerConfig,
  type ServerSettings,
  type ServerTarget,
} from '../../src/config/server-config.ts'
import type { UpstreamState } from '../../src/upstream/upstream.ts'
import type { Upstreams } from '../../src/upstream/upstreams.ts'

const PROGRAM = fileURLToPath(new URL('fixture-server.mjs', import.meta.url))

export function configOf(name: string, target: ServerTarget, settings: Partial<ServerSettings> = {}): ServerConfig {
  const fingerprint = createHash('sha256').update(JSON.stringify(target)).digest('hex')
  const place = { file: 'portico.json', path: `servers.${name}` }
  return { name, target, settings: { ...DEFAULT_SETTINGS, ...settings }, place, fingerprint }
}

/** A real process that behaves as `mode` says. */
export function program(name: string, mode: string, settings: Partial<ServerSettings> = {}, extra = ''): ServerConfig {
  const args = [PROGRAM, mode, extra]
  return configOf(name, { kind: 'stdio', command: process.execPath, args, env: {} }, settings)
}

/** Resolves when a server's state is as wanted. */
export function untilState(
  upstreams: Upstreams,
  server: string,
  isWanted: (state: UpstreamState) => boolean,
): Promise<UpstreamState> {
  return new Promise((resolve) => {
    const check = () => {
      const state = upstreams.view(server)?.state
      if (state === undefined || !isWanted(state)) return
      stop()
      resolve(state)
    }
    const stop = upstreams.on('state', check)
    check()
  })
}

/** Resolves when a condition that nothing announces holds. */
export async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 10))
}

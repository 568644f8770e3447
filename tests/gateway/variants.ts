/** Who stands at either end of the gateway: every revision on every transport that it has, by every maker who has it. */

import { VERSIONS, type Version } from '../interop/client-under-test.ts'

export type Maker = 'ours' | 'sdk-1' | 'sdk-2'
export type Way = 'stdio' | 'http' | 'sse' | 'ws'

/** One end: whose program, speaking which revision, over what. */
export interface Variant {
  readonly maker: Maker
  readonly version: Version
  readonly way: Way
}

/** HTTP+SSE is the transport of 2024-11-05; Streamable HTTP came after it. WebSocket and pipes carry any revision. */
function waysOf(version: Version): Way[] {
  return version === '2024-11-05' ? ['stdio', 'sse', 'ws'] : ['stdio', 'http', 'ws']
}

const LEGACY = VERSIONS.filter((version) => version < '2026-07-28')

const ours: Variant[] = VERSIONS.flatMap((version) =>
  waysOf(version).map((way): Variant => ({ maker: 'ours', version, way })),
)
// The official packages have no WebSocket on both sides.
const official = (maker: Maker, versions: readonly Version[]): Variant[] =>
  versions.flatMap((version) =>
    waysOf(version)
      .filter((way) => way !== 'ws')
      .map((way): Variant => ({ maker, version, way })),
  )

export const CLIENTS: readonly Variant[] = [...ours, ...official('sdk-1', LEGACY), ...official('sdk-2', VERSIONS)]

export const SERVERS: readonly Variant[] = [
  ...ours,
  ...official('sdk-1', LEGACY),
  ...official('sdk-2', ['2025-06-18', '2025-11-25', '2026-07-28']),
]

export function nameOf({ maker, version, way }: Variant): string {
  return `${maker} ${version} ${way}`
}

/** Every pair of revisions once with our own programs, on transports in turn, and each official program in both roles. */
export function shortPairs(): [client: Variant, server: Variant][] {
  const pairs: [Variant, Variant][] = []
  let turn = 0
  for (const client of VERSIONS) {
    for (const server of VERSIONS) {
      const at = (version: Version, shift: number): Variant => {
        // Programs take a second to start: the short form has each transport, but the slow one seldom.
        const ways = waysOf(version).filter((way) => way !== 'stdio' || turn % 12 === 0)
        return { maker: 'ours', version, way: ways[(turn + shift) % ways.length] as Way }
      }
      pairs.push([at(client, 0), at(server, 1)])
      turn++
    }
  }
  const http = (maker: Maker, version: Version): Variant => ({ maker, version, way: 'http' })
  const stdio = (maker: Maker, version: Version): Variant => ({ maker, version, way: 'stdio' })
  pairs.push(
    [http('sdk-1', '2025-11-25'), http('sdk-2', '2026-07-28')],
    [http('sdk-2', '2026-07-28'), http('sdk-1', '2025-11-25')],
    [http('sdk-2', '2026-07-28'), stdio('sdk-1', '2025-11-25')],
    [http('sdk-1', '2025-06-18'), http('sdk-1', '2025-06-18')],
    [http('sdk-2', '2025-11-25'), http('sdk-2', '2025-11-25')],
    [stdio('sdk-2', '2026-07-28'), http('sdk-2', '2026-07-28')],
    [{ maker: 'sdk-1', version: '2024-11-05', way: 'sse' }, stdio('sdk-2', '2026-07-28')],
  )
  return pairs
}

/** Every link passes the contract of links: over a channel, and over HTTP. */

import { describe, it } from 'vitest'
import type { Link } from '../client/link.ts'
import { connect } from '../connect/connect.ts'
import { serveHttp } from '../serve/adapters/http.ts'
import { tool } from '../server/items/definition.ts'
import { createServer } from '../server/server.ts'
import { type ContractLink, linkContract, watchLink } from './link-contract.ts'

function createTarget() {
  const wait = tool(
    {},
    (_, ctx) => new Promise<string>((_done, failed) => ctx.signal.addEventListener('abort', failed)),
  )
  return createServer({ name: 's', version: '1', tools: { echo: tool({}, () => 'here'), wait }, slow: false })
}

async function open(way: 'channel' | 'http'): Promise<ContractLink> {
  const server = createTarget()
  const http = way === 'http' ? await serveHttp(server, { port: 0, graceMs: 1 }) : undefined
  let made: ReturnType<typeof watchLink> | undefined
  const wrapLink = (link: Link): Link => {
    made = watchLink(link)
    return link
  }
  const client = await connect(http?.url ?? server, { versions: ['2025-11-25'], negotiations: false, wrapLink })
  if (made === undefined) throw new Error('no link was opened')
  const close = async (): Promise<void> => {
    await client.close()
    await http?.close()
  }
  return { ...made, close }
}

describe.each(['channel', 'http'] as const)('the link over %s', (way) => {
  it.each(linkContract(() => open(way)))('$name', ({ run }) => run())
})

import { type Client, connect } from '@portico/sdk/client'
import { createServer, resource, type Server } from '@portico/sdk/server'
import { expect, it } from 'vitest'
import { onSubscriptions } from './subscribers.ts'

const URI = 'test://one'
const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const

function watched(): { readonly server: Server; readonly held: string[] } {
  const server = createServer({
    name: 'watched',
    version: '1',
    resources: { one: resource({ uri: URI }, () => 'one') },
  })
  const held: string[] = []
  onSubscriptions(server, {
    hold: (uri) => void held.push(uri),
    release: (uri) => void held.splice(held.indexOf(uri), 1),
  })
  return { server, held }
}

const guest = (server: Server, version: (typeof VERSIONS)[number]): Promise<Client> =>
  connect(server, { versions: [version] })

it.each(VERSIONS)('%s: clients that are alike hold for themselves, until they say so', async (version) => {
  const { server, held } = watched()
  const [one, other] = [await guest(server, version), await guest(server, version)]
  const [first, second] = [await one.subscribe(URI, () => {}), await other.subscribe(URI, () => {})]
  await expect.poll(() => held).toEqual([URI, URI])
  await first.close()
  await expect.poll(() => held).toEqual([URI])
  await second.close()
  await expect.poll(() => held).toEqual([])
  await Promise.all([one.close(), other.close()])
})

it.each(VERSIONS)('%s: what a client held is let go when it leaves', async (version) => {
  const { server, held } = watched()
  const [one, other] = [await guest(server, version), await guest(server, version)]
  await one.subscribe(URI, () => {})
  await other.subscribe(URI, () => {})
  await expect.poll(() => held).toEqual([URI, URI])
  await one.close()
  await expect.poll(() => held).toEqual([URI])
  await other.close()
  await expect.poll(() => held).toEqual([])
})

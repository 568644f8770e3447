/** Settings of a server that change while it runs: the roots that it is offered, the log messages it is asked for. */

import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createServer, type ProtocolVersion, tool } from '@portico/sdk/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defineServer } from '../src/config/define-server.ts'
import type { ServerSettings } from '../src/config/server-config.ts'
import { type HostLab, startHost } from './host-lab.ts'

let lab: HostLab
let folder: string
let told: number
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'portico-root-')))
  told = 0
})
afterEach(async () => {
  await lab.close()
  await rm(folder, { recursive: true, force: true })
})

const REVISIONS: readonly ProtocolVersion[] = ['2025-11-25', '2026-07-28']

async function start(version: ProtocolVersion, settings: Partial<ServerSettings> = {}): Promise<void> {
  const desk = () =>
    createServer({
      name: 'desk',
      version: '1.0.0',
      versions: [version],
      logging: true,
      tools: {
        roots: tool({}, async (_, ctx) => JSON.stringify((await ctx.roots()).map(({ uri }) => uri))),
        talk: tool({}, (_, ctx) => {
          ctx.log('debug', 'low')
          ctx.log('warning', 'high')
          return 'talked'
        }),
      },
    })
  const hear = (message: unknown) => JSON.stringify(message).includes('roots/list_changed') && told++
  lab = await startHost(
    { desk },
    { servers: [defineServer('desk', { kind: 'in-process', module: 'desk', options: {} }, settings)] },
  )
  lab.host.upstreams.on('message', hear)
}

const textOf = async (name: string) => JSON.stringify((await lab.host.call(name)).result.content)

describe.each(REVISIONS)('a server of %s', (version) => {
  it('is offered other roots while it runs, and told by a notice or at its next request (founding 5)', async () => {
    await start(version)
    expect(await textOf('desk_roots')).not.toContain('file:')
    await lab.host.setRoots('desk', [folder])
    expect(await textOf('desk_roots')).toContain(pathToFileURL(folder).href)
    if (version !== '2026-07-28') await expect.poll(() => told).toBe(1)
    await lab.host.setRoots('desk', undefined)
    expect(await textOf('desk_roots')).not.toContain('file:')
  })

  it('is asked for log messages of the level that is set, from the start or later (founding 4)', async () => {
    await start(version, { logLevel: 'error' })
    const logged: string[] = []
    lab.host.upstreams.on('log', ({ source, text }) => source === 'message' && logged.push(text))
    await lab.host.call('desk_talk')
    await lab.host.setLogLevel('desk', 'debug')
    await expect
      .poll(async () => {
        await lab.host.call('desk_talk')
        return logged.slice(0, 2)
      })
      .toEqual(['low', 'high'])
    await lab.host.setLogLevel('desk', undefined)
  })
})

it('without a level, a server of 2026-07-28 is asked from info on (founding 4)', async () => {
  await start('2026-07-28')
  const logged: string[] = []
  lab.host.upstreams.on('log', ({ source, text }) => source === 'message' && logged.push(text))
  await lab.host.call('desk_talk')
  await expect.poll(() => logged).toEqual(['high'])
})

it('of a server that is not there cannot be changed (founding 5)', async () => {
  await start('2026-07-28')
  await expect(lab.host.setRoots('nobody', [])).rejects.toMatchObject({ code: 'unknown-server' })
})

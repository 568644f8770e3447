/** Where `portico serve` lets the other gateways in, and what it says of it. */

import { networkInterfaces } from 'node:os'
import type { Cluster } from '@portico/host/cluster'
import { describe, expect, it } from 'vitest'
import type { Io } from '../terminal/io.ts'
import { sayDoor, toDoor } from './gateway-door.ts'

const io = { env: { DOOR_URL: 'tcp://10.0.3.7:4100' } } as unknown as Io
const redis = { redis: 'redis://127.0.0.1:6379' }
const own = Object.values(networkInterfaces())
  .flatMap((found) => found ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

describe('the door for other gateways', () => {
  it.each([
    ['nothing is said', undefined, '127.0.0.1'],
    ['callers come from this machine', '127.0.0.1', '127.0.0.1'],
    ['they do by name', 'localhost', '127.0.0.1'],
    ['they do by IPv6', '::1', '127.0.0.1'],
    ['callers come to one address', '10.0.3.7', '10.0.3.7'],
    ['callers come to every address', '0.0.0.0', own ?? '127.0.0.1'],
    ['callers come to a name', 'gateway.example', own ?? '127.0.0.1'],
  ])('is where callers come in: %s (sec-745)', async (_what, host, door) => {
    expect(await toDoor(redis, host, io)).toEqual({ host: door })
  })

  it('stays on this machine with a file, and where the settings say otherwise is there', async () => {
    expect(await toDoor({ sqlite: 'state.db' }, '0.0.0.0', io)).toEqual({ host: '127.0.0.1' })
    expect(await toDoor({ ...redis, door: { folder: '/run/portico' } }, '0.0.0.0', io)).toEqual({
      folder: '/run/portico',
    })
    const door = { host: '0.0.0.0', port: 4100, url: 'DOOR_URL' }
    expect(await toDoor({ ...redis, door }, undefined, io)).toEqual({ ...door, url: 'tcp://10.0.3.7:4100' })
  })

  it.each([
    [{ host: '10.0.3.7' }, redis, [/reach this one at tcp:\/\/here:1; keep that port/]],
    [{ host: '127.0.0.1', url: 'tcp://here:1' }, redis, [/keep that port/]],
    [{ host: '127.0.0.1' }, redis, [/on this machine reach this one at .*under "state"/]],
    [{ host: '127.0.0.1' }, { sqlite: 'state.db' }, []],
    [{ folder: '/run/portico' }, redis, []],
  ])('is told at the start: %j', async (door, state, lines) => {
    const said: string[] = []
    const row = { name: 'one', url: 'tcp://here:1', since: 0, sessions: 0, leaving: false }
    const cluster = { replica: 'one', replicas: async () => [row] } as unknown as Cluster
    await sayDoor(cluster, door, state, { say: (text: string) => said.push(text) } as unknown as Io)
    expect(said).toEqual(lines.map((line) => expect.stringMatching(line)))
  })
})

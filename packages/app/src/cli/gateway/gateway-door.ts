/**
 * Where the other gateways of one shared state reach this one. Who listens for this machine alone has its door there too: one that
 * machines reach goes with a gateway that machines reach, or is asked for by name.
 */

import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Cluster, DoorOptions } from '@portico/host/cluster'
import { isLoopbackHost } from '@portico/sdk/auth-node'
import type { Io } from '../terminal/io.ts'
import { type StateSettings, urlOf } from './gateway-state.ts'

/** `host` is where callers reach the gateway. */
export async function toDoor(settings: StateSettings, host: string | undefined, io: Io): Promise<DoorOptions> {
  const { door = {}, sqlite } = settings
  const { url, ...place } = door
  const isPlaced = place.folder !== undefined || place.host !== undefined
  return {
    ...(!isPlaced && { host: sqlite === undefined ? besides(host) : LOOPBACK }),
    ...place,
    ...(url !== undefined && { url: await urlOf(url, 'door.url', io) }),
  }
}

const LOOPBACK = '127.0.0.1'
const EVERY = ['0.0.0.0', '::']

function besides(host = LOOPBACK): string {
  if (isLoopbackHost(host)) return LOOPBACK
  return isIP(host) !== 0 && !EVERY.includes(host) ? host : ownAddress()
}

function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? LOOPBACK
}

/** Whoever starts it knows what is open, and why gateways of other machines do not find it. */
export async function sayDoor(cluster: Cluster, door: DoorOptions, { sqlite }: StateSettings, io: Io): Promise<void> {
  if (door.folder !== undefined) return
  const isOutward = door.url !== undefined || !isLoopbackHost(door.host ?? LOOPBACK)
  if (!isOutward && sqlite !== undefined) return
  const own = (await cluster.replicas()).find(({ name }) => name === cluster.replica)
  if (own === undefined) return
  io.say(
    isOutward
      ? `Other gateways with the same state reach this one at ${own.url}; keep that port from everybody else.`
      : `Other gateways on this machine reach this one at ${own.url}; those of other machines need an address for it under "state" (the guide on scaling out says how).`,
  )
}

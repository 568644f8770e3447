/** The clients before the gateway: those of `tests/interop/`, at a gateway that listens or that they start themselves. */

import type { ClientUnderTest } from '../interop/client-under-test.ts'
import { connectOurs } from '../interop/clients/ours.ts'
import { connectSdk1 } from '../interop/clients/sdk-1.ts'
import { connectSdk2 } from '../interop/clients/sdk-2.ts'
import { type Address, toCommand } from '../interop/server-under-test.ts'
import type { ListeningFront } from './front.ts'
import type { Place } from './servers.ts'
import type { Variant } from './variants.ts'

export function connectClient(
  client: Variant,
  server: Variant,
  place: Place,
  front: ListeningFront,
): Promise<ClientUnderTest> {
  const address = toAddress(client, server, place, front)
  const offer = { asking: true }
  if (client.maker === 'ours') return connectOurs(address, client.version, offer)
  return (client.maker === 'sdk-1' ? connectSdk1 : connectSdk2)(address, client.version, offer)
}

function toAddress({ way }: Variant, server: Variant, place: Place, { urls }: ListeningFront): Address {
  if (way === 'stdio') {
    const args = [JSON.stringify(place), server.version]
    return { kind: 'stdio', command: toCommand(new URL('stdio-front.ts', import.meta.url), args) }
  }
  // A client that is given a URL takes the transport from it, so that a WebSocket needs no kind of its own.
  return { kind: way === 'sse' ? 'sse' : 'http', url: urls[way] }
}

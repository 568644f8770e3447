/** The ready-made servers as the host's configuration names them: `{ "clock": { "module": "time" } }`. */

import type { InProcessFactory } from '@portico/host/upstream'
import type { JsonObject } from '@portico/sdk/client'
import type { EntryValue } from '@portico/servers'

/** Every one by name; each is loaded when it is connected to. */
export async function builtInServers(): Promise<ReadonlyMap<string, InProcessFactory>> {
  const { SERVER_NAMES, loadEntry } = await import('@portico/servers')
  return new Map(
    SERVER_NAMES.map((name): [string, InProcessFactory] => [
      name,
      async (options) => (await loadEntry(name)).create(toValues(options)),
    ]),
  )
}

/** Options out of a file: what is neither a plain value nor a list of texts is left to the server to miss. */
function toValues(options: JsonObject): { readonly [name: string]: EntryValue | undefined } {
  const usable = Object.entries(options).filter(
    ([, value]) =>
      ['string', 'number', 'boolean'].includes(typeof value) ||
      (Array.isArray(value) && value.every((one) => typeof one === 'string')),
  )
  // The filter has just said so of every value.
  return Object.fromEntries(usable) as { readonly [name: string]: EntryValue }
}

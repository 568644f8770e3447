/**
 * Which server a resource is read from: the one that lists its URI, the one whose template it fits, the one that linked
 * to it in an answer to the same principal, or the only one that the caller sees. Whichever it is, the address itself must
 * be in view (sec-228). Where several servers could be meant, the caller is told by which names to tell them apart.
 */

import type { AddressLookup, FoundAddress } from '../../upstream/catalogue/addresses.ts'
import { type Linking, Links } from '../../upstream/connection/links.ts'
import type { View } from '../views/view.ts'

export type Route = Pick<FoundAddress, 'server' | 'ownUri' | 'prefix'>

export class Routes {
  readonly #links = new Links()

  /** `servers` are all there are, in view or not. */
  find(
    view: View,
    uri: string,
    principal: string,
    servers: () => readonly string[],
  ): Route | Extract<AddressLookup, { kind: 'ambiguous' }> | undefined {
    const found = view.addresses.find(uri)
    if (found.kind === 'ambiguous') return found
    if (found.kind === 'closed') return undefined
    if (found.kind === 'found') return view.reaches(found.server, found.ownUri, found.item) ? found : undefined
    const { ownUri, server: named } = found
    const isMeant = (server: string) => (named === undefined || server === named) && view.reaches(server, ownUri)
    const linking = this.#links.of(principal, ownUri).filter(isMeant)
    const candidates = linking.length > 0 ? linking : servers().filter(view.serves)
    const [server] = candidates
    if (server === undefined || candidates.length > 1 || !isMeant(server)) return undefined
    return { server, ownUri, prefix: uri.slice(0, uri.length - ownUri.length) }
  }

  /** Remembers what a result links to, so that the caller can read it. */
  note(principal: string, server: string, result: Linking): void {
    this.#links.note(principal, server, result)
  }
}

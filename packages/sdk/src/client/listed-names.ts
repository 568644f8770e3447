/**
 * The names that the server has listed so far, for the one use of telling somebody who asked for another which was probably
 * meant. What was never listed is not asked for on that account.
 */

import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError } from '../jsonrpc/errors.ts'
import type { JsonObject } from '../jsonrpc/message.ts'
import { didYouMean } from '../jsonrpc/nearest.ts'
import { RESOURCE_NOT_FOUND } from '../protocol/errors.ts'

/** Which list names what a method asks for, and the parameter that does. */
const NAMED: { readonly [method: string]: readonly [list: string, parameter: string] } = {
  'tools/call': ['tools/list', 'name'],
  'prompts/get': ['prompts/list', 'name'],
  'resources/read': ['resources/list', 'uri'],
}

const NOT_FOUND: ReadonlySet<number> = new Set([INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND])

export class ListedNames {
  readonly #names = new Map<string, Set<string>>()

  /** Notes a page of a list; the first one takes the place of what was known. */
  note(list: string, names: Iterable<string>, first: boolean): void {
    const known = first ? undefined : this.#names.get(list)
    if (known === undefined) this.#names.set(list, new Set(names))
    else for (const name of names) known.add(name)
  }

  /** The server's error, with the name that was probably meant where it names none itself. */
  explain(error: unknown, method: string, params: JsonObject): unknown {
    if (!(error instanceof RpcError) || !NOT_FOUND.has(error.rpcCode) || /did you mean/i.test(error.message))
      return error
    const hint = this.hint(method, params)
    return hint === '' ? error : new RpcError(error.rpcCode, error.message + hint, error.data, error)
  }

  /** `. Did you mean "x"?` for a name that was not listed and is near one that was; otherwise nothing. */
  hint(method: string, params: JsonObject): string {
    const [list = '', parameter = ''] = NAMED[method] ?? []
    const names = this.#names.get(list)
    const asked = params[parameter]
    return names === undefined || typeof asked !== 'string' || names.has(asked) ? '' : didYouMean(asked, names)
  }
}

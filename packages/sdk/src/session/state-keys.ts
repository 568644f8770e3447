/** What is asked of the keys that seal state (`sealed-state.ts`): said when a server is defined, long before anything is sealed. */

import { invalidDefinition } from '../jsonrpc/errors.ts'

export function requireStateKeys(keys: readonly Uint8Array[] | undefined): void {
  if (keys !== undefined && (keys.length === 0 || keys.some((key) => key.length !== 32))) {
    throw invalidDefinition('stateKeys must hold at least one key of exactly 32 bytes')
  }
}

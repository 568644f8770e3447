/** The secrets that commands go by: the environment first, then our own sealed store. */

import { join } from 'node:path'
import {
  createSecretStore,
  firstSecret,
  type SecretSource,
  type SecretStore,
  secretsFromEnvironment,
} from '@portico/host/config'
import { stateOf } from './host-places.ts'
import type { Io } from './terminal/io.ts'

export function secretStoreOf(io: Pick<Io, 'env'>): SecretStore {
  return createSecretStore({ file: join(stateOf(io), 'secrets') })
}

export function secretsOf(io: Pick<Io, 'env'>, store: SecretStore = secretStoreOf(io)): SecretSource {
  return firstSecret(secretsFromEnvironment(io.env), store)
}

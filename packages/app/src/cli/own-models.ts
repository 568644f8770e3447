/** The models that commands may use: those of the user's own files, and those whose key is in the environment. */

import type { LoadedConfig } from '@portico/host/config'
import { Models, readModels } from '@portico/host/model'
import { secretStoreOf } from './own-secrets.ts'
import type { Io } from './terminal/io.ts'

export function modelsOf({ extras }: Pick<LoadedConfig, 'extras'>, io: Pick<Io, 'env'>): Models {
  const configured = extras.flatMap(({ scope, models }) => (scope === 'user' ? readModels(models).models : []))
  return new Models({ configured, env: io.env, secrets: secretStoreOf(io) })
}

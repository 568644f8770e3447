/** A secret in the environment: in a variable, or in a file that a variable names, as container platforms hand them out. */

import { HostError } from '../../errors.ts'
import { readRegular } from '../read-regular.ts'

type Environment = { readonly [name: string]: string | undefined }

/** More than any key or token has. */
const MAX_SECRET = 65_536

/**
 * Reads the secret that the variable `name` holds, or the file that the variable `name`_FILE names, without the line end
 * that editors leave there; undefined where neither is set. A file that is named and cannot be read is an error.
 *
 * @example
 * ```ts
 * import { readSecretVariable } from '@portico/host/config'
 *
 * const token = await readSecretVariable('PORTICO_TOKEN', process.env) // or PORTICO_TOKEN_FILE=/run/secrets/token
 * ```
 */
export async function readSecretVariable(name: string, env: Environment): Promise<string | undefined> {
  const value = env[name]
  if (value !== undefined) return value
  const file = env[`${name}_FILE`]
  if (file === undefined || file === '') return undefined
  const bytes = await readRegular(file, MAX_SECRET).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new HostError('secret-missing', `The file that ${name}_FILE names, ${file}, cannot be read (${reason})`, {
      cause,
    })
  })
  return bytes.toString('utf8').replace(/\r?\n$/, '')
}

/** What a setting of portico.json keeps in a variable: read in one place, so that what is missing is said alike everywhere. */

import { readSecretVariable } from '@portico/host/config'
import { CliError } from '../../exit-codes.ts'

interface SecretSetting {
  readonly variable: string
  /** What it should hold, in words: `the token of "ada"`. */
  readonly what: string
  /** Where in the file it is asked for: `gateway.auth.tokens.ada`. */
  readonly setting: string
  /** A value, as it is typed in a shell. */
  readonly example: string
}

/** A token as anybody can make one. */
export const NEW_TOKEN = '"$(openssl rand -hex 32)"'
export const NEW_KEY = '"$(openssl rand -base64 32)"'

/** The text in the variable, or in the file that the variable with `_FILE` names. */
export async function readSecretSetting(
  { variable, what, setting, example }: SecretSetting,
  env: { readonly [name: string]: string | undefined },
): Promise<string> {
  const wanted = `${what}, for ${setting}`
  const found = await readSecretVariable(variable, env).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    const remedy = `Write it into that file, let ${variable}_FILE name one that this process can read, or set ${variable} itself.`
    throw new CliError('config', `${reason}; it should hold ${wanted}`, remedy, error)
  })
  if (found !== undefined && found !== '') return found
  const state = found === undefined ? 'is not set' : 'is empty'
  throw new CliError(
    'config',
    `The variable ${variable} ${state}; it should hold ${wanted}`,
    `Set it before you start this: \`export ${variable}=${example}\`. Or set ${variable}_FILE to the path of a file that holds it.`,
  )
}

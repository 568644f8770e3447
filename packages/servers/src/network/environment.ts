/** Credentials are given by the name of the environment variable that holds them: never as arguments or in files. */

import { PorticoError } from '@portico/sdk/server'

export type Environment = { readonly [name: string]: string | undefined }

/** Headers that decide where a message ends or whom it is for. */
export const FORBIDDEN_HEADERS =
  /^(host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|proxy-.*)$/i

/** The value of a variable; one that is empty is as if it were not set. */
export function findSecret(name: string, environment: Environment): string | undefined {
  return (Object.hasOwn(environment, name) && environment[name]?.trim()) || undefined
}

/** The value of a variable that the operator named; it must be there and be fit for a header. */
export function readSecret(name: string, option: string, environment: Environment = process.env): string {
  const value = findSecret(name, environment)
  if (value === undefined) {
    throw new PorticoError('invalid-arguments', `The environment has no ${name}, which the option ${option} names.`)
  }
  requireFilledIn(value, name)
  if (!/^[\x20-\x7e]+$/.test(value))
    throw new PorticoError('invalid-arguments', `The value of ${name} cannot be sent in a header.`)
  return value
}

/** A host that does not know a placeholder hands it on as it is written: it must not be sent as if it were the secret. */
function requireFilledIn(value: string, name: string): void {
  const [placeholder] = /\$\{[^}]{0,200}\}/.exec(value) ?? []
  if (placeholder === undefined) return
  throw new PorticoError(
    'invalid-arguments',
    `${name} holds ${placeholder} as it is written: whatever started this server did not fill it in. Only Portico knows \${secret:…}; elsewhere give the value itself.`,
  )
}

/** Headers as `Name=VARIABLE`, for services with schemes of their own. */
export function readHeaders(entries: readonly string[], environment?: Environment): { [name: string]: string } {
  return Object.fromEntries(
    entries.map((entry) => {
      const [header = '', variable = ''] = entry.split('=', 2)
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header) || variable === '' || FORBIDDEN_HEADERS.test(header)) {
        throw new PorticoError('invalid-arguments', `headersEnv takes "Header-Name=VARIABLE", not "${header}"`)
      }
      return [header.toLowerCase(), readSecret(variable, 'headersEnv', environment)]
    }),
  )
}

/** The programs of others that some trials talk to. */

import { fileURLToPath } from 'node:url'
import { installPackages } from '../support/install.ts'

/** Why the trials that need them cannot run; undefined when everything is there. */
export function missingGuests(): string | undefined {
  try {
    installPackages(fileURLToPath(new URL('.', import.meta.url)))
    return undefined
  } catch (error) {
    return String(error)
  }
}

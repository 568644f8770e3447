/** The programs of others that some trials talk to. */

import { fileURLToPath } from 'node:url'
import { installedPackage, installPackages } from '../support/install.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

/** The reference server that others wrote, as a program. */
export const EVERYTHING = installedPackage(FOLDER, '@modelcontextprotocol/server-everything', 'dist', 'index.js')

/** Why the trials that need them cannot run; undefined when everything is there. */
export function missingPublished(): string | undefined {
  try {
    installPackages(FOLDER)
    return undefined
  } catch (error) {
    return String(error)
  }
}

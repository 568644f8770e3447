/** URIs of files in one spelling: servers write those that they were given in another. */

import { fileURLToPath, pathToFileURL } from 'node:url'

export function toUri(path: string): string {
  return pathToFileURL(path).href.replace(/^file:\/\/\/[A-Z]:/, (drive) => drive.toLowerCase())
}

/** The path of a URI of this machine. */
export function toPath(uri: string): string | undefined {
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined
  }
}

/** The URI as it was sent, however it came back: `%40` for `@`, another letter case of a drive. */
export function sameUri(uri: string): string {
  const path = toPath(uri)
  return path === undefined ? uri : toUri(path)
}

/** Exact replacements in a text. */

import { ToolError } from '@portico/sdk/server'

export interface Replacement {
  readonly oldText: string
  readonly newText: string
  /** Replace every occurrence rather than the only one. */
  readonly all?: boolean
}

/**
 * Applies the replacements one after the other. Each must be found, and found once unless it says `all`. What would become
 * larger than allowed is refused before it is put together: a few edits that multiply fill any memory.
 */
export function applyReplacements(text: string, edits: readonly Replacement[], maxWriteBytes: number): string {
  const hasReturns = text.includes('\r\n')
  let edited = text
  for (const [index, { oldText, newText, all }] of edits.entries()) {
    if (oldText === '') throw new ToolError(`Edit ${index + 1}: oldText is empty. Use write_file to make a new file`)
    // Models write plain newlines; in a file that has the long ones, both texts are taken to mean those.
    const isPlain = hasReturns && !oldText.includes('\r')
    const wanted = isPlain ? oldText.replaceAll('\n', '\r\n') : oldText
    const replacement = isPlain && !newText.includes('\r') ? newText.replaceAll('\n', '\r\n') : newText
    const first = edited.indexOf(wanted)
    if (first === -1) {
      throw new ToolError(
        `Edit ${index + 1}: oldText was not found. It must match exactly, spaces included: read the file again and copy it`,
      )
    }
    if (all === true) {
      requireRoom(edited, { wanted, replacement, count: countOf(edited, wanted), maxWriteBytes })
      edited = edited.replaceAll(wanted, () => replacement)
      continue
    }
    if (edited.indexOf(wanted, first + 1) !== -1) {
      throw new ToolError(
        `Edit ${index + 1}: oldText is there more than once. Add lines around it until it is unique, or set "all"`,
      )
    }
    requireRoom(edited, { wanted, replacement, count: 1, maxWriteBytes })
    edited = edited.slice(0, first) + replacement + edited.slice(first + wanted.length)
  }
  return edited
}

interface Growth {
  readonly wanted: string
  readonly replacement: string
  readonly count: number
  readonly maxWriteBytes: number
}

/** No character has fewer bytes than units, so that what has too many units has too many bytes. */
function requireRoom(text: string, { wanted, replacement, count, maxWriteBytes }: Growth): void {
  const length = text.length + count * (replacement.length - wanted.length)
  if (length <= maxWriteBytes) return
  throw new ToolError(
    `The file would have more than ${maxWriteBytes} bytes, which is what the option "maxWriteBytes" allows`,
  )
}

function countOf(text: string, wanted: string): number {
  let count = 0
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) count++
  return count
}
